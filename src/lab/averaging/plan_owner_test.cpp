#include "engine/plan/plan_owner.h"

#include <gtest/gtest.h>

#include "engine/plan/request.h"
#include "lab/averaging/averaging_request.h"

namespace sotto::plan_owner_test {

TEST(PlanOwner, EachCommandKnowsItsOwnAndTheOthers) {
  AveragingRequest averaging;
  averaging.generate = true;
  const std::string fedavg = to_toml(averaging), train = to_toml(TrainRequest{});
  EXPECT_EQ(plan_owner(fedavg), PlanOwner::fedavg);
  EXPECT_EQ(plan_owner(train), PlanOwner::train);
  EXPECT_EQ(plan_owner("data = 'mnist'\nrounds = 3\n"), PlanOwner::fedavg);
  for (const char* text : {"", "seed = 3\n", "[sum]\nkind = 'plain'\n", "no toml ="})
    EXPECT_EQ(plan_owner(text), PlanOwner::unknown) << text;
  const auto from_train = averaging_from_toml(train, "a.toml");
  ASSERT_FALSE(from_train.ok());
  EXPECT_EQ(from_train.error().message,
            "a.toml: this is a plan of 'sotto train': take it with 'sotto train --plan'");
  const auto from_fedavg = from_toml(fedavg, "b.toml");
  ASSERT_FALSE(from_fedavg.ok());
  EXPECT_EQ(from_fedavg.error().message,
            "b.toml: this is a plan of 'sotto fedavg': take it with 'sotto fedavg --plan'");
}

}  // namespace sotto::plan_owner_test
