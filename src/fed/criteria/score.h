// Score functions: how the measured criteria of a device become one number (thesis 5.4.2).
//
//   prioritized   f(x) = Σ_i Π_{j ≤ i} x_j, in the order of priority (eq. 5.5): monotone, f(0) = 0, f(1) = m,
//                 and a zero at place j cuts off all below it
//   mean          Σ w_i x_i
//   owa           Σ w_k x_(k) with x_(1) the largest (Yager 1988): min, max and mean are among them
//   choquet       the integral with respect to a capacity on the sets of criteria: Σ_k (x_(k) − x_(k−1)) ·
//                 μ({all that reach x_(k)}), smallest first; equals the mean where μ is additive
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace sotto::fed {

enum class ScoreKind : std::uint8_t { prioritized, mean, owa, choquet };
[[nodiscard]] Result<ScoreKind> parse_score_kind(const std::string& text);
[[nodiscard]] const char* to_string(ScoreKind kind);

struct ScoreOptions {
  ScoreKind kind = ScoreKind::prioritized;
  // mean: one a criterion; owa: one a place, of the largest value first; none: all alike.
  // choquet: μ of each set of criteria, 2^m numbers, criterion i being bit i: μ(∅) = 0, monotone.
  std::vector<double> weights = {};
};
[[nodiscard]] Status check(const ScoreOptions& options, std::size_t criteria);

// `values` in the order of priority, each ≥ 0.
[[nodiscard]] double score(const ScoreOptions& options, std::span<const double> values);

}  // namespace sotto::fed
