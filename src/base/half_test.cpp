#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sotto::base::half_test {

// By the definition of binary16, with the C library.
double slow_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

TEST(Half, KnownValues) {
  // From the tables of IEEE 754-2008.
  EXPECT_EQ(half_of(1.0f), 0x3C00);
  EXPECT_EQ(half_of(-2.0f), 0xC000);
  EXPECT_EQ(half_of(65504.0f), 0x7BFF);
  EXPECT_EQ(half_of(0.333251953125f), 0x3555);
  EXPECT_EQ(half_of(6.103515625e-5f), 0x0400);
  EXPECT_EQ(half_of(5.9604644775390625e-8f), 0x0001);
  EXPECT_EQ(half_of(0.0f), 0x0000);
  EXPECT_EQ(half_of(-0.0f), 0x8000);
  EXPECT_EQ(half_of(0.1f), 0x2E66);
}

TEST(Half, WhatIsTooLargeBecomesTheLargest) {
  EXPECT_EQ(half_of(65519.996f), largest_half);
  EXPECT_EQ(half_of(65520.0f), largest_half);
  EXPECT_EQ(half_of(1e30f), largest_half);
  EXPECT_EQ(half_of(-3.4e38f), 0x8000 | largest_half);
}

TEST(Half, WhatIsNotFiniteStaysSo) {
  EXPECT_FALSE(is_finite_half(half_of(std::numeric_limits<float>::infinity())));
  EXPECT_FALSE(is_finite_half(half_of(-std::numeric_limits<float>::infinity())));
  EXPECT_FALSE(is_finite_half(half_of(std::numeric_limits<float>::quiet_NaN())));
}

TEST(Half, AllHalvesThereAndBack) {
  for (std::uint32_t n = 0; n < 65536; ++n) {
    const auto half = static_cast<std::uint16_t>(n);
    ASSERT_EQ(is_finite_half(half), ((n >> 10) & 31) != 31);
    const float value = float_of_half(half);
    ASSERT_EQ(std::isfinite(value), is_finite_half(half));
    if (!is_finite_half(half)) continue;
    ASSERT_EQ(static_cast<double>(value), slow_half(half));
    ASSERT_EQ(std::signbit(value), n >= 0x8000);
    ASSERT_EQ(half_of(value), half);
  }
}

TEST(Half, BetweenTwoHalvesTheNearestAndTiesToEven) {
  for (std::uint16_t low = 0; low < largest_half; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const auto middle = static_cast<float>((slow_half(low) + slow_half(high)) / 2);  // exact in a float
    const std::uint16_t even = low % 2 == 0 ? low : high;
    ASSERT_EQ(half_of(middle), even);
    ASSERT_EQ(half_of(-middle), 0x8000 | even);
    ASSERT_EQ(half_of(std::nextafter(middle, 0.0f)), low);
    ASSERT_EQ(half_of(std::nextafter(middle, 1e9f)), high);
  }
  EXPECT_EQ(half_of(1e-45f), 0);
  EXPECT_EQ(half_of(-1e-10f), 0x8000);
}

}  // namespace sotto::base::half_test
