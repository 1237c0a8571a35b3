#include "metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/assert.h"
#include "base/math.h"
#include "base/rng.h"
#include "metrics/distributions.h"

namespace sotto::metrics {

namespace {

double resampled_mean(std::span<const double> values, std::uint64_t seed, std::uint32_t number) {
  Stream draws(seed, Purpose::bootstrap, number);
  const auto count = static_cast<std::uint32_t>(values.size());
  double sum = 0.0;
  for (std::uint32_t n = 0; n < count; ++n) sum += values[draws.below(count)];
  return sum / static_cast<double>(count);
}

// Between the two values of the sorted list that enclose the share; 0 is the first and 1 the last.
double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto before = std::min(static_cast<std::size_t>(place), sorted.size() - 1);
  const std::size_t after = std::min(before + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(before);
  return sorted[before] + part * (sorted[after] - sorted[before]);
}

// How skewed a mean of these is: what the jackknife of Efron's formula comes to for a mean.
double acceleration(std::span<const double> values, double mean) {
  double squares = 0.0, cubes = 0.0;
  for (const double value : values) {
    const double off = value - mean;
    squares += off * off;
    cubes += off * off * off;
  }
  return squares > 0.0 ? cubes / (6.0 * squares * std::sqrt(squares)) : 0.0;
}

// The normal quantile of the share of resampled means below the mean, ties counting half.
double bias_of(std::span<const double> sorted, double mean) {
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), mean);
  const auto all = static_cast<double>(sorted.size());
  const double below = static_cast<double>(first - sorted.begin()) + 0.5 * static_cast<double>(last - first);
  return normal_quantile(std::clamp(below / all, 0.5 / all, 1.0 - 0.5 / all));
}

}  // namespace

Interval bootstrap_mean(std::span<const double> values, const BootstrapOptions& options, Executor& executor) {
  SOTTO_ASSERT(!values.empty() && options.resamples > 0, "there is something to draw from, and draws");
  // Their sums would differ by rounding.
  if (std::ranges::all_of(values, [&](double value) { return value == values[0]; }))
    return {values[0], values[0]};
  std::vector<double> means(options.resamples);
  const std::size_t shards = std::min<std::size_t>(executor.threads(), means.size());
  executor.run(shards, [&](std::size_t shard) {
    for (std::size_t n = means.size() * shard / shards; n < means.size() * (shard + 1) / shards; ++n)
      means[n] = resampled_mean(values, options.seed, static_cast<std::uint32_t>(n));
  });
  std::sort(means.begin(), means.end());
  const double tail = 0.5 * (1.0 - options.confidence);
  if (options.kind == BootstrapKind::percentile) return {quantile(means, tail), quantile(means, 1.0 - tail)};
  const double mean = spread_of(values).mean;
  const double bias = bias_of(means, mean), skew = acceleration(values, mean);
  const auto corrected = [&](double share) {
    const double z = bias + normal_quantile(share);
    const double shrunk = std::max(1.0 - skew * z, 1e-9);  // the formula has a pole far out
    return quantile(means, normal_cdf(bias + z / shrunk));
  };
  return {corrected(tail), corrected(1.0 - tail)};
}

}  // namespace sotto::metrics
