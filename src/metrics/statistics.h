// Is one model better than another, or was it luck? Tests and effect sizes over paired values: two models,
// the same users (or seeds), one value each.
//
// Everything is two-sided and takes differences a − b. Where nothing differs, p is 1 and the effect 0. A
// difference below 1e-12 of the largest value is no difference, and two that agree so closely are tied:
// 0.3 − 0.2 and 0.2 − 0.1 are alike to people, not to binary numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace sotto::metrics {

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

struct Spread {
  std::uint64_t count = 0;
  double mean = 0.0;
  double sd = 0.0;  // with n − 1; 0 for one value
};
[[nodiscard]] Spread spread_of(std::span<const double> values);

// Where the mean lies, by Student's t: for few values, as those of several seeds. One value: (−∞, ∞).
[[nodiscard]] Interval mean_interval(std::span<const double> values, double confidence = 0.95);

// a − b, pair by pair, with what is no difference set to 0.
[[nodiscard]] std::vector<double> differences(std::span<const double> a, std::span<const double> b);

enum class PairedTest : std::uint8_t { t, wilcoxon };
[[nodiscard]] Result<PairedTest> parse_paired_test(const std::string& text);
[[nodiscard]] const char* to_string(PairedTest test);

struct TestOutcome {
  double statistic = 0.0;  // t, or the sum of the positive ranks
  double p = 1.0;
  std::uint64_t used = 0;  // pairs that took part
  bool exact = false;      // Wilcoxon: by counting, not by the normal curve
};

// Student's paired t-test. Differences that are all the same and not 0 give an infinite t and p = 0.
[[nodiscard]] TestOutcome paired_t_test(std::span<const double> a, std::span<const double> b);

// Wilcoxon's signed-rank test as R computes it: pairs without a difference are left out before ranking
// (Wilcoxon's way, not Pratt's); exact for fewer than 50 pairs where none is tied or left out, else the
// normal curve with the variance corrected for ties and half a rank for continuity.
[[nodiscard]] TestOutcome wilcoxon_test(std::span<const double> a, std::span<const double> b);

[[nodiscard]] TestOutcome paired_test(PairedTest test, std::span<const double> a, std::span<const double> b);

// Holm's correction of a family of p-values, in their order: adjusted values to be held against α.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

struct EffectSize {
  double cohen_dz = 0.0;       // mean over standard deviation of the differences; may be infinite
  double rank_biserial = 0.0;  // (ranks for a − ranks for b) / all ranks, from −1 to 1
};
[[nodiscard]] EffectSize effect_size(std::span<const double> a, std::span<const double> b);

}  // namespace sotto::metrics
