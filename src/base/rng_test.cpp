#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace sotto::base::rng_test {

// Known answers published with Random123 (kat_vectors, philox4x32 10).
TEST(Philox, MatchesThePublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The layout of key and counter decides every model: it is part of the contract.
TEST(Stream, IsPhiloxOfSeedPositionUserRoundPurpose) {
  Stream stream(0x299f31d0a4093822ull, Purpose::draw_triples, 7, 11);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const PhiloxBlock expected = philox({block, 11, 7, 4}, {0xa4093822, 0x299f31d0});
    for (const std::uint32_t number : expected) EXPECT_EQ(stream.next_u32(), number);
  }
}

TEST(Stream, DiffersWhenAnyPartOfTheKeyDiffers) {
  const auto first = [](Stream stream) { return stream.next_u64(); };
  const std::set<std::uint64_t> firsts{
      first(Stream(1, Purpose::init_shared, 0, 0)),          first(Stream(2, Purpose::init_shared, 0, 0)),
      first(Stream(1ull << 32, Purpose::init_shared, 0, 0)), first(Stream(1, Purpose::init_private, 0, 0)),
      first(Stream(1, Purpose::init_shared, 1, 0)),          first(Stream(1, Purpose::init_shared, 0, 1)),
      first(Stream(1, Purpose::init_shared, 0xffffffff, 0)),
  };
  EXPECT_EQ(firsts.size(), 7u);
}

// Σ (observed − expected)² / expected.
double chi_square(const std::vector<std::uint32_t>& counts, double expected) {
  double sum = 0.0;
  for (const std::uint32_t count : counts) {
    const double difference = count - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

TEST(Stream, BelowIsUniformAndInBounds) {
  Stream stream(1, Purpose::sample_users);
  for (const std::uint32_t bound : {2u, 3u, 7u, 100u, 1000u}) {
    std::vector<std::uint32_t> counts(bound, 0);
    constexpr int draws = 200'000;
    for (int n = 0; n < draws; ++n) {
      const std::uint32_t value = stream.below(bound);
      ASSERT_LT(value, bound);
      ++counts[value];
    }
    // A chi-square has mean k and variance 2k: five deviations are not chance.
    const double freedom = bound - 1.0;
    EXPECT_LT(chi_square(counts, draws / static_cast<double>(bound)), freedom + 5 * std::sqrt(2 * freedom))
        << "bound " << bound;
  }
}

TEST(Stream, BelowHasNoBiasWhereAModuloWould) {
  // Of 3·2^30 values a plain product or modulo gives a third of them twice as often.
  constexpr std::uint32_t bound = 3u << 30;
  Stream stream(2, Purpose::sample_users);
  std::vector<std::uint32_t> thirds(3, 0);
  constexpr int draws = 60'000;
  for (int n = 0; n < draws; ++n) ++thirds[stream.below(bound) % 3];
  EXPECT_LT(chi_square(thirds, draws / 3.0), 25.0);
}

TEST(Stream, BelowOneIsZeroAndTheWholeRangeIsReached) {
  Stream stream(3, Purpose::sample_users);
  for (int n = 0; n < 100; ++n) EXPECT_EQ(stream.below(1), 0u);
  std::uint32_t low = 0xffffffff;
  std::uint32_t high = 0;
  for (int n = 0; n < 10'000; ++n) {
    const std::uint32_t value = stream.below(0xffffffff);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_LT(low, 1u << 22);
  EXPECT_GT(high, 0xffffffffu - (1u << 22));
}

TEST(Stream, ChanceKeepsItsPromises) {
  Stream stream(4, Purpose::redraw_consent);
  int yes = 0;
  for (int n = 0; n < 100'000; ++n) {
    EXPECT_FALSE(stream.chance(0.0));
    EXPECT_TRUE(stream.chance(1.0));
    yes += stream.chance(0.3) ? 1 : 0;
  }
  EXPECT_NEAR(yes, 30'000, 5 * std::sqrt(100'000 * 0.3 * 0.7));
}

// Largest distance between the sample's distribution and `cdf`.
template <class Cdf>
double kolmogorov_smirnov(std::vector<double> sample, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const auto size = static_cast<double>(sample.size());
  double distance = 0.0;
  for (std::size_t k = 0; k < sample.size(); ++k) {
    const double p = cdf(sample[k]);
    const auto below = static_cast<double>(k);
    distance = std::max({distance, p - below / size, (below + 1) / size - p});
  }
  return distance;
}

TEST(Stream, UniformIsUniform) {
  Stream stream(5, Purpose::generate_world);
  std::vector<double> sample(50'000);
  for (double& x : sample) {
    x = stream.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
  }
  EXPECT_LT(kolmogorov_smirnov(sample, [](double x) { return x; }), 2.0 / std::sqrt(50'000));
}

TEST(Stream, NormalIsStandardNormal) {
  Stream stream(6, Purpose::init_shared);
  constexpr int draws = 100'000;
  std::vector<double> sample(draws);
  for (double& x : sample) x = stream.normal();
  double moments[4] = {};
  for (const double x : sample)
    for (int k = 0; k < 4; ++k) moments[k] += std::pow(x, k + 1) / draws;
  EXPECT_NEAR(moments[0], 0.0, 5 / std::sqrt(draws));
  EXPECT_NEAR(moments[1], 1.0, 5 * std::sqrt(2.0 / draws));
  EXPECT_NEAR(moments[2], 0.0, 5 * std::sqrt(15.0 / draws));
  EXPECT_NEAR(moments[3], 3.0, 5 * std::sqrt(96.0 / draws));
  // Under the hypothesis the distance exceeds 2/√n about once in 1500 times.
  EXPECT_LT(kolmogorov_smirnov(sample, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }),
            2.0 / std::sqrt(draws));
}

}  // namespace sotto::base::rng_test
