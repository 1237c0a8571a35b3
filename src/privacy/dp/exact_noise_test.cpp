#include "privacy/dp/exact_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/rng.h"

namespace sotto::privacy::exact_noise_test {

constexpr Purpose test_purpose{69};

// Pearson's statistic of draws against a law on the whole numbers, those with an expectation below 10 pooled
// at either end. Under the law it lies near its degrees of freedom: mean k, variance 2k.
template <class Draw>
double chi_square_score(int draws, double (*weight)(std::int64_t, double), double parameter, Draw draw) {
  std::map<std::int64_t, int> seen;
  for (int n = 0; n < draws; ++n) ++seen[draw()];
  double total = 0.0;
  for (std::int64_t x = -2000; x <= 2000; ++x) total += weight(x, parameter);
  double statistic = 0.0, expected_pool = 0.0;
  int cells = 0, seen_pool = 0, seen_all = 0;
  for (std::int64_t x = -2000; x <= 2000; ++x) {
    const double expected = draws * weight(x, parameter) / total;
    const int count = seen.contains(x) ? seen[x] : 0;
    seen_all += count;
    if (expected < 10.0) {
      expected_pool += expected;
      seen_pool += count;
      continue;
    }
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  }
  seen_pool += draws - seen_all;
  if (expected_pool > 5.0) {
    statistic += (seen_pool - expected_pool) * (seen_pool - expected_pool) / expected_pool;
    ++cells;
  }
  const double degrees = cells - 1;
  return (statistic - degrees) / std::sqrt(2.0 * degrees);
}

double gaussian_weight(std::int64_t x, double variance) {
  return std::exp(-static_cast<double>(x * x) / (2.0 * variance));
}
double laplace_weight(std::int64_t x, double scale) {
  return std::exp(-std::abs(static_cast<double>(x)) / scale);
}

// Beyond 6 standard deviations of the statistic: less than once in 10⁶ by chance; seeds are fixed.
constexpr double most_score = 6.0;
constexpr int many = 200'000;

TEST(DiscreteGaussian, IsNotToldFromItsLaw) {
  for (const std::uint64_t variance : {1u, 2u, 9u, 100u, 2500u}) {
    Stream bits(1, test_purpose, 0, static_cast<std::uint32_t>(variance));
    ExactNoise noise(bits);
    const double score = chi_square_score(many, gaussian_weight, static_cast<double>(variance),
                                          [&] { return noise.gaussian(variance); });
    EXPECT_LT(score, most_score) << variance;
  }
}

TEST(DiscreteGaussian, AWrongSigmaIsFound) {
  // The test above would notice noise whose σ is 2% off.
  for (const double wrong : {96.0, 104.0}) {
    Stream bits(1, test_purpose, 0, 100);
    ExactNoise noise(bits);
    EXPECT_GT(chi_square_score(many, gaussian_weight, wrong, [&] { return noise.gaussian(100); }), most_score)
        << wrong;
  }
}

// Largest distance between the empirical distribution and N(0, σ²), times √n.
double kolmogorov(std::vector<std::int64_t> draws, double sigma) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double most = 0.0;
  for (std::size_t k = 0; k < draws.size(); ++k) {
    const double law = .5 * std::erfc(-static_cast<double>(draws[k]) / sigma / std::sqrt(2.0));
    most = std::max(
        {most, std::abs(law - static_cast<double>(k) / n), std::abs(law - static_cast<double>(k + 1) / n)});
  }
  return most * std::sqrt(n);
}

TEST(DiscreteGaussian, WideNoiseIsTheNormalLaw) {
  // Both ways to compare with a fraction: below 2^64 and above.
  for (const std::uint64_t sigma : {20'000u, 1u << 20}) {
    Stream bits(2, test_purpose);
    ExactNoise noise(bits);
    std::vector<std::int64_t> draws;
    for (int n = 0; n < 50'000; ++n) draws.push_back(noise.gaussian(sigma * sigma));
    // P(K > 2.4) < 2·10⁻⁵.
    EXPECT_LT(kolmogorov(draws, static_cast<double>(sigma)), 2.4) << sigma;
    EXPECT_GT(kolmogorov(draws, static_cast<double>(sigma) * 1.05), 2.4) << sigma;
  }
}

TEST(DiscreteLaplace, IsNotToldFromItsLawAndAWrongScaleIs) {
  for (const auto& [over, under] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 1}, {7, 2}, {40, 1}}) {
    const double scale = static_cast<double>(over) / static_cast<double>(under);
    for (const double wrong : {1.0, 1.04}) {
      Stream bits(3, test_purpose, 0, static_cast<std::uint32_t>(over));
      ExactNoise noise(bits);
      const double score =
          chi_square_score(many, laplace_weight, scale * wrong, [&] { return noise.laplace(over, under); });
      if (wrong == 1.0)
        EXPECT_LT(score, most_score) << over;
      else
        EXPECT_GT(score, most_score) << over;
    }
  }
}

TEST(ExactNoise, NoVarianceIsNoNoise) {
  Stream bits(1, test_purpose);
  EXPECT_EQ(ExactNoise(bits).gaussian(0), 0);
}

TEST(ExponentialMechanism, ChoosesByTheScores) {
  Stream bits(5, test_purpose);
  ExactNoise noise(bits);
  const std::vector<std::int64_t> scores{-5, 0, 3, 3, -2'000'000'000'000};
  std::vector<int> chosen(scores.size(), 0);
  for (int n = 0; n < many; ++n) ++chosen[noise.choose(scores, 1, 4)];
  double total = 0.0;
  for (const std::int64_t score : scores) total += std::exp(static_cast<double>(score) / 4.0);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double p = std::exp(static_cast<double>(scores[k]) / 4.0) / total;
    EXPECT_NEAR(chosen[k], many * p, 6.0 * std::sqrt(many * p * (1 - p)) + .5) << k;
  }
}

}  // namespace sotto::privacy::exact_noise_test
