#include "fed/models/task.h"

#include <gtest/gtest.h>

#include "fed/models/task_models.h"
#include "fed/models/testing/slow_als.h"
#include "fed/models/testing/usual_spec.h"

namespace sotto::fed::task_test {

std::string refusal(const v1::TaskSpec& spec) {
  const auto task = read_task(spec);
  return task.ok() ? "" : task.error().message;
}
bool says(const v1::TaskSpec& spec, const std::string& words) {
  return refusal(spec).find(words) != std::string::npos;
}

TEST(ATask, OfAModelThatIsNotKnownIsRefusedByName) {
  v1::TaskSpec spec = als_spec(20);
  EXPECT_EQ(refusal(spec), "");
  spec.set_model("fedalsx");
  EXPECT_TRUE(says(spec, "unknown model 'fedalsx'; did you mean 'fedals'?")) << refusal(spec);
  EXPECT_TRUE(says(spec, "update"));
  spec.set_model("<script>\n");
  EXPECT_FALSE(says(spec, "script"));
  EXPECT_TRUE(says(spec, "are fpl, fedals"));
}

TEST(ATask, OfFederatedAlsHasRowsOfStatistics) {
  const Task task = *read_task(als_spec(20));
  EXPECT_EQ(task.model, &fedals_task);
  EXPECT_EQ(options_of<AlsOptions>(task).confidence, 3.0f);
  EXPECT_EQ(options_of<AlsOptions>(task).reg_power, 0.25f);
  const TaskShape shape = task.shape();
  EXPECT_EQ(shape.rows, 20u);
  EXPECT_EQ(shape.width, 4u);
  EXPECT_EQ(shape.sum_rows, 21u);   // everybody's, and one an item
  EXPECT_EQ(shape.sum_width, 10u);  // the upper triangle of 4 × 4
  EXPECT_EQ(shape.sent.most_rows, 21u);
}

TEST(ATask, OfFederatedAlsIsRefusedWhereItCannotBeExactOrFit) {
  v1::TaskSpec spec = als_spec(20);
  spec.set_down(v1::PRECISION_I8);
  EXPECT_TRUE(says(spec, "leave down out"));
  spec = als_spec(20);
  spec.set_factors(257);
  EXPECT_TRUE(says(spec, "at most 256"));
  spec.set_factors(256);
  EXPECT_EQ(refusal(spec), "");
  spec.set_items(20'000);
  EXPECT_TRUE(says(spec, "lower factors"));
  spec = als_spec(20);
  spec.set_lambda(-1.0f);
  EXPECT_TRUE(says(spec, "lambda"));
  spec = als_spec(20);
  spec.set_confidence(std::nanf(""));
  EXPECT_TRUE(says(spec, "confidence"));
  spec = als_spec(20);
  spec.set_fixed_bits(23);
  EXPECT_TRUE(says(spec, "fixed_bits is 23, and what devices of fedals send has from 8 to 22 bits"));
  spec.set_fixed_bits(7);
  EXPECT_TRUE(says(spec, "fixed_bits is 7"));
  spec = usual_spec(fedavg_task, 10);
  spec.set_fixed_bits(28);
  EXPECT_EQ(refusal(spec), "");
  spec.set_fixed_bits(29);
  EXPECT_TRUE(says(spec, "from 8 to 28 bits"));
}

}  // namespace sotto::fed::task_test
