#include "data/recency.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sotto {
namespace {

TEST(Recency, HalvesAtTheHalfLife) {
  const Recency recency(5.0f);
  const std::vector<std::uint16_t> ages{0, 5, 10, 3, Histories::most_age};
  EXPECT_EQ(recency.weight(ages, 0), 1.0f);
  EXPECT_NEAR(recency.weight(ages, 1), 0.5f, 1e-6f);
  EXPECT_NEAR(recency.weight(ages, 2), 0.25f, 1e-6f);
  EXPECT_NEAR(recency.weight(ages, 3), std::exp2(-0.6f), 1e-6f);
  EXPECT_LT(recency.weight(ages, 4), 1e-7f);
  EXPECT_GT(recency.weight(ages, 4), 0.0f);
}

TEST(Recency, EverythingCountsOneWithoutIt) {
  const std::vector<std::uint16_t> ages{0, 7};
  EXPECT_FALSE(Recency().matters());
  EXPECT_EQ(Recency().weight(ages, 1), 1.0f);
  EXPECT_EQ(Recency(3.0f).weight({}, 1), 1.0f);
}

TEST(Recency, RefusesWhatIsNoHalfLife) {
  EXPECT_FALSE(Recency::check(-1.0f).ok());
  EXPECT_FALSE(Recency::check(std::numeric_limits<float>::infinity()).ok());
  EXPECT_FALSE(Recency::check(std::numeric_limits<float>::quiet_NaN()).ok());
  EXPECT_TRUE(Recency::check(0.0f).ok());
}

}  // namespace
}  // namespace sotto
