#include "metrics/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/math.h"
#include "base/rng.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::metrics::bootstrap_test {

std::vector<double> skewed_values(std::size_t count) {
  Stream draws(3, Purpose::generate_world);
  std::vector<double> values(count);
  for (double& value : values) value = -std::log(1.0 - draws.uniform());
  return values;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Efron's recipe word for word: resamples, z0, the jackknife, two corrected quantiles.
Interval slow_bca(const std::vector<double>& values, const BootstrapOptions& options) {
  std::vector<double> means;
  for (std::uint32_t n = 0; n < options.resamples; ++n) {
    Stream draws(options.seed, Purpose::bootstrap, n);
    std::vector<double> sample;
    for (std::size_t k = 0; k < values.size(); ++k)
      sample.push_back(values[draws.below(static_cast<std::uint32_t>(values.size()))]);
    means.push_back(mean_of(sample));
  }
  std::sort(means.begin(), means.end());
  const double whole = mean_of(values);
  double below = 0.0;
  for (const double mean : means) below += mean < whole ? 1.0 : mean == whole ? 0.5 : 0.0;
  const double z0 = normal_quantile(below / static_cast<double>(means.size()));
  std::vector<double> without;
  for (std::size_t left_out = 0; left_out < values.size(); ++left_out) {
    std::vector<double> rest = values;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left_out));
    without.push_back(mean_of(rest));
  }
  const double centre = mean_of(without);
  double cubes = 0.0, squares = 0.0;
  for (const double mean : without) {
    cubes += std::pow(centre - mean, 3);
    squares += std::pow(centre - mean, 2);
  }
  const double a = cubes / (6.0 * std::pow(squares, 1.5));
  const auto limit = [&](double share) {
    const double z = z0 + normal_quantile(share);
    const double corrected = 0.5 * std::erfc(-(z0 + z / (1.0 - a * z)) / std::sqrt(2.0));
    const double place = corrected * static_cast<double>(means.size() - 1);
    const auto at = static_cast<std::size_t>(place);
    return means[at] + (place - static_cast<double>(at)) * (means[at + 1] - means[at]);
  };
  return {limit((1.0 - options.confidence) / 2.0), limit(1.0 - (1.0 - options.confidence) / 2.0)};
}

TEST(Bootstrap, BcaIsEfronsRecipe) {
  const auto values = skewed_values(40);
  const BootstrapOptions options{.resamples = 600, .confidence = 0.9, .seed = 5};
  SerialExecutor serial;
  const Interval interval = bootstrap_mean(values, options, serial);
  const Interval slow = slow_bca(values, options);
  EXPECT_NEAR(interval.low, slow.low, 1e-9);
  EXPECT_NEAR(interval.high, slow.high, 1e-9);
}

TEST(Bootstrap, TheSameBytesForAnyThreads) {
  const auto values = skewed_values(100);
  SerialExecutor serial;
  for (const BootstrapKind kind : {BootstrapKind::percentile, BootstrapKind::bca}) {
    const BootstrapOptions options{.kind = kind, .resamples = 333};
    const Interval one = bootstrap_mean(values, options, serial);
    for (const std::size_t threads : {2, 3, 7}) {
      BackwardExecutor others(threads);
      const Interval more = bootstrap_mean(values, options, others);
      EXPECT_EQ(more.low, one.low);
      EXPECT_EQ(more.high, one.high);
    }
    const Interval other = bootstrap_mean(values, {.kind = kind, .resamples = 333, .seed = 2}, serial);
    EXPECT_NE(other.low, one.low);
  }
}

// For many values of little skew both kinds are the normal interval. The quantiles of 4,000 resamples are
// off by 3% of the half width once in three; 12% would be four times that.
TEST(Bootstrap, ManyValuesGiveTheNormalInterval) {
  Stream draws(9, Purpose::generate_world);
  std::vector<double> values(2000);
  for (double& value : values) value = draws.uniform();
  const Spread spread = spread_of(values);
  const double half = 1.96 * spread.sd / std::sqrt(2000.0);
  SerialExecutor serial;
  for (const BootstrapKind kind : {BootstrapKind::percentile, BootstrapKind::bca}) {
    const Interval interval = bootstrap_mean(values, {.kind = kind, .resamples = 4000}, serial);
    EXPECT_NEAR(interval.low, spread.mean - half, 0.12 * half);
    EXPECT_NEAR(interval.high, spread.mean + half, 0.12 * half);
  }
}

TEST(Bootstrap, SkewMovesBcaTowardsTheLongTail) {
  const auto values = skewed_values(30);
  SerialExecutor serial;
  const Interval plain = bootstrap_mean(values, {.kind = BootstrapKind::percentile}, serial);
  const Interval corrected = bootstrap_mean(values, {}, serial);
  EXPECT_GT(corrected.high, plain.high);
  EXPECT_GT(corrected.low, plain.low);
}

TEST(Bootstrap, ValuesThatAreAllAlikeHaveNoInterval) {
  SerialExecutor serial;
  for (const double value : {0.25, 0.1})  // sums of 0.1 are rounded
    for (const std::size_t count : {1, 7, 10}) {
      const Interval interval = bootstrap_mean(std::vector<double>(count, value), {.resamples = 50}, serial);
      EXPECT_EQ(interval.low, value);
      EXPECT_EQ(interval.high, value);
    }
}

}  // namespace sotto::metrics::bootstrap_test
