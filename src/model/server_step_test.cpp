#include "model/server_step.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto::model::server_step_test {

constexpr std::size_t width = 3;

// Three rounds of the same slope from a start of ones.
std::vector<float> after_three(const ServerStepOptions& options) {
  RowMatrix shared(2, width), moments = start_moments(options, 2, width);
  for (float& value : shared.values(1)) value = 1.0f;
  const float slope[] = {0.5f, -2.0f, 0.0f};
  for (std::uint32_t round = 0; round < 3; ++round) {
    RoundSteps steps(options, round, shared, moments);
    steps.move(1, slope, width);
    EXPECT_TRUE(steps.finite());
  }
  for (const float value : shared.values(0)) EXPECT_EQ(value, 0.0f);  // nobody spoke of it
  return {shared.row(1), shared.row(1) + width};
}

TEST(ServerStep, PlainStepsGoAlongTheSlope) {
  const auto row = after_three({.step = ServerStep::sgd, .rate = 0.1f});
  EXPECT_NEAR(row[0], 1.0 - 3 * 0.1 * 0.5, 1e-6);
  EXPECT_NEAR(row[1], 1.0 + 3 * 0.1 * 2.0, 1e-6);
  EXPECT_EQ(row[2], 1.0f);
}

TEST(ServerStep, MomentumAddsUp) {
  const auto row = after_three({.step = ServerStep::momentum, .rate = 0.1f, .beta1 = 0.5f});
  // v = s, 1.5 s, 1.75 s: 4.25 s in all.
  EXPECT_NEAR(row[0], 1.0 - 0.1 * 4.25 * 0.5, 1e-6);
  EXPECT_NEAR(row[1], 1.0 + 0.1 * 4.25 * 2.0, 1e-6);
  EXPECT_EQ(row[2], 1.0f);
}

TEST(ServerStep, AdamStepsOfOneSlopeAreAsLongAsTheRate) {
  const auto row = after_three({.step = ServerStep::adam, .rate = 0.1f});
  EXPECT_NEAR(row[0], 1.0 - 0.3, 1e-5);
  EXPECT_NEAR(row[1], 1.0 + 0.3, 1e-5);
  EXPECT_EQ(row[2], 1.0f);
}

TEST(ServerStep, NamesAreReadBack) {
  for (const ServerStep step : {ServerStep::adam, ServerStep::sgd, ServerStep::momentum})
    EXPECT_EQ(parse_server_step(to_string(step)).value(), step);
  EXPECT_FALSE(parse_server_step("newton").ok());
  EXPECT_FALSE(check(ServerStepOptions{.rate = -1.0f}).ok());
  EXPECT_FALSE(check(ServerStepOptions{.beta1 = 1.0f}).ok());
}

}  // namespace sotto::model::server_step_test
