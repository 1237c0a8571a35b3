#include "data/recency.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sotto::data::recency_test {

std::vector<float> weighed(const Recency& recency, const std::vector<std::uint16_t>& ages) {
  std::vector<float> weights{7.0f};  // what was there before is gone
  recency.weigh(ages, weights);
  return weights;
}

TEST(Recency, HalvesAtTheHalfLife) {
  const auto weights = weighed(Recency(5.0f), {0, 5, 10, 3, Histories::most_age});
  ASSERT_EQ(weights.size(), 5u);
  EXPECT_EQ(weights[0], 1.0f);
  EXPECT_NEAR(weights[1], 0.5f, 1e-6f);
  EXPECT_NEAR(weights[2], 0.25f, 1e-6f);
  EXPECT_NEAR(weights[3], std::exp2(-0.6f), 1e-6f);
  EXPECT_LT(weights[4], 1e-7f);
  EXPECT_GT(weights[4], 0.0f);
}

TEST(Recency, EverythingCountsOneWithoutIt) {
  EXPECT_TRUE(weighed(Recency(), {0, 7}).empty());
  EXPECT_TRUE(weighed(Recency(3.0f), {}).empty());
}

TEST(Recency, RefusesWhatIsNoHalfLife) {
  EXPECT_FALSE(Recency::check(-1.0f).ok());
  EXPECT_FALSE(Recency::check(std::numeric_limits<float>::infinity()).ok());
  EXPECT_FALSE(Recency::check(std::numeric_limits<float>::quiet_NaN()).ok());
  EXPECT_TRUE(Recency::check(0.0f).ok());
}

}  // namespace sotto::data::recency_test
