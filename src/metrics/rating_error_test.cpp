#include "metrics/rating_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sotto::metrics::rating_error_test {

TEST(RatingError, WorkedExample) {
  const std::vector<float> predicted{3, 4, 1};
  const std::vector<float> truth{5, 4, 2};
  EXPECT_DOUBLE_EQ(mean_absolute_error(predicted, truth), 1.0);
  EXPECT_DOUBLE_EQ(root_mean_squared_error(predicted, truth), std::sqrt(5.0 / 3));
}

TEST(RatingErrorDeathTest, EachPredictionHasItsTruth) {
  const std::vector<float> one{1};
  EXPECT_DEATH((void)mean_absolute_error(one, {}), "truth");
}

}  // namespace sotto::metrics::rating_error_test
