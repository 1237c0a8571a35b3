#include "privacy/audit/epsilon_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/assert.h"
#include "metrics/distributions.h"

namespace sotto::privacy {

namespace {

// The x with I_x(a, b) = share; the function grows with x.
double beta_quantile(double a, double b, double share) {
  double low = 0.0, high = 1.0;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2.0;
    (incomplete_beta(a, b, middle) < share ? low : high) = middle;
  }
  return (low + high) / 2.0;
}

struct Tally {
  std::uint64_t hits = 0;
  std::uint64_t false_alarms = 0;
};

Tally tally(std::span<const double> with, std::span<const double> without, double threshold) {
  const auto above = [threshold](std::span<const double> values) {
    return static_cast<std::uint64_t>(
        std::count_if(values.begin(), values.end(), [threshold](double v) { return v > threshold; }));
  };
  return {above(with), above(without)};
}

// Both ways to be caught: many hits for few false alarms, and few misses for many right all-clears.
double bound_of(const Tally& seen, std::uint64_t with, std::uint64_t without, double delta,
                double confidence) {
  const Interval hits = clopper_pearson(seen.hits, with, confidence);
  const Interval alarms = clopper_pearson(seen.false_alarms, without, confidence);
  const double caught = hits.low - delta > 0.0 ? std::log((hits.low - delta) / alarms.high) : 0.0;
  const double cleared =
      1.0 - alarms.high - delta > 0.0 ? std::log((1.0 - alarms.high - delta) / (1.0 - hits.low)) : 0.0;
  return std::max({caught, cleared, 0.0});
}

}  // namespace

Interval clopper_pearson(std::uint64_t hits, std::uint64_t trials, double confidence) {
  SOTTO_ASSERT(trials > 0 && hits <= trials, "a share of at least one trial");
  const double tail = (1.0 - confidence) / 2.0;
  const auto k = static_cast<double>(hits);
  const auto n = static_cast<double>(trials);
  return {hits == 0 ? 0.0 : beta_quantile(k, n - k + 1.0, tail),
          hits == trials ? 1.0 : beta_quantile(k + 1.0, n - k, 1.0 - tail)};
}

EpsilonBound epsilon_lower_bound(std::span<const double> with, std::span<const double> without, double delta,
                                 double confidence) {
  SOTTO_ASSERT(with.size() >= 4 && without.size() >= 4, "a half chooses, a half is judged");
  const auto chosen_with = with.first(with.size() / 2);
  const auto chosen_without = without.first(without.size() / 2);
  std::vector<double> candidates(chosen_with.begin(), chosen_with.end());
  candidates.insert(candidates.end(), chosen_without.begin(), chosen_without.end());
  std::sort(candidates.begin(), candidates.end());
  EpsilonBound bound;
  bound.threshold = candidates[candidates.size() / 2];
  double best = -1.0;
  const std::size_t stride = std::max<std::size_t>(candidates.size() / 64, 1);
  for (std::size_t n = 0; n < candidates.size(); n += stride) {
    const double promised = bound_of(tally(chosen_with, chosen_without, candidates[n]), chosen_with.size(),
                                     chosen_without.size(), delta, confidence);
    if (promised > best) best = promised, bound.threshold = candidates[n];
  }
  const auto judged_with = with.subspan(chosen_with.size());
  const auto judged_without = without.subspan(chosen_without.size());
  const Tally seen = tally(judged_with, judged_without, bound.threshold);
  // Each interval's one end may fail with half of 1 − confidence: together they keep it.
  bound.epsilon = bound_of(seen, judged_with.size(), judged_without.size(), delta, confidence);
  bound.trials = judged_with.size() + judged_without.size();
  bound.hits = static_cast<double>(seen.hits) / static_cast<double>(judged_with.size());
  bound.false_alarms = static_cast<double>(seen.false_alarms) / static_cast<double>(judged_without.size());
  return bound;
}

}  // namespace sotto::privacy
