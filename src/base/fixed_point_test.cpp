#include "base/fixed_point.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace sotto::base::fixed_point_test {

TEST(FixedPoint, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(quantise(0.49f), 0);
  EXPECT_EQ(quantise(0.51f), 1);
  EXPECT_EQ(quantise(0.5f), 0);
  EXPECT_EQ(quantise(1.5f), 2);
  EXPECT_EQ(quantise(2.5f), 2);
  EXPECT_EQ(quantise(-0.5f), 0);
  EXPECT_EQ(quantise(-1.5f), -2);
  EXPECT_EQ(quantise(-2.51f), -3);
}

TEST(FixedPoint, HoldsEverythingWithinTheLimit) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float large : {2147483520.0f, 2147483648.0f, 1e20f, 3e38f, infinity}) {
    EXPECT_EQ(quantise(large), step_limit);
    EXPECT_EQ(quantise(-large), -step_limit);
  }
  EXPECT_EQ(quantise(33554428.0f), 33554428);  // the float just below is not touched
}

TEST(FixedPoint, ScaleIsAPowerOfTwo) {
  for (int bits = 0; bits <= 40; ++bits)
    EXPECT_EQ(static_cast<double>(FixedPoint{bits}.scale()), std::ldexp(1.0, bits));
}

RC_GTEST_PROP(FixedPointLaw, ErrorIsAtMostHalfAUnit, ()) {
  const int steps = *rc::gen::inRange(-31'000, 31'001);
  const float value = static_cast<float>(steps) * 1e-3f;
  const FixedPoint format{20};
  const double back = quantise(value * format.scale()) * 0x1.0p-20;
  RC_ASSERT(std::fabs(back - static_cast<double>(value)) <= 0x1.0p-21);
}

RC_GTEST_PROP(FixedPointLaw, SumsAreTheSameInAnyOrderAndGrouping, ()) {
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::arbitrary<int>());
  std::vector<std::int64_t> terms;
  terms.reserve(steps.size());
  for (const int step : steps) terms.push_back(quantise(static_cast<float>(step) * 0.37f));
  const auto sum = [](auto begin, auto end) { return std::accumulate(begin, end, std::int64_t{0}); };
  const std::int64_t whole = sum(terms.begin(), terms.end());

  const auto cut = *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(terms) + 1);
  RC_ASSERT(sum(terms.begin(), terms.begin() + cut) + sum(terms.begin() + cut, terms.end()) == whole);
  std::rotate(terms.begin(), terms.begin() + cut, terms.end());
  RC_ASSERT(sum(terms.begin(), terms.end()) == whole);
  RC_ASSERT(sum(terms.rbegin(), terms.rend()) == whole);
}

TEST(FixedPoint, FourBillionOfTheLargestFitA64BitSum) {
  constexpr auto limit = static_cast<std::int64_t>(fixed_limit);
  constexpr auto terms = std::int64_t{1} << 32;
  EXPECT_LE(limit, std::numeric_limits<std::int64_t>::max() / terms);
}

}  // namespace sotto::base::fixed_point_test
