#include "lab/averaging/order_choice.h"

#include <gtest/gtest.h>

#include "lab/averaging/averaging_run.h"
#include "lab/averaging/tiny_task.h"

namespace sotto {
namespace {

AveragingRequest choice_request(const std::string& order) {
  AveragingRequest request;
  request.generate = true;
  request.rounds = 10;
  request.plan.cohort = 0.5;
  request.plan.seed = 3;
  request.criteria.order = *parse_order(order);
  request.choose_order = true;
  request.validation = 0.5;
  return request;
}

AveragingOutcome chosen_run(const AveragingRequest& request, const TinyTask& task) {
  const TinyFacts facts(task);
  SerialExecutor serial;
  auto outcome = run_averaging(request, {task, facts}, serial, {});
  EXPECT_TRUE(outcome.ok()) << outcome.error().message;
  return std::move(outcome).value();
}

// By records first the model rises, by labels first it falls: beginning with the wrong order, the first round
// that makes it worse must bring the right one, which then stays.
TEST(OrderChoice, FindsTheOrderThatIsRight) {
  const TinyTask task(two_kinds(20));
  const AveragingOutcome chosen = chosen_run(choice_request("LD>DS"), task);
  EXPECT_EQ(chosen.rounds.back().order, "size>diversity");
  EXPECT_EQ(chosen.costs.changes, 1u);
  EXPECT_EQ(chosen.costs.tries, 1u);
  AveragingRequest fixed = choice_request("LD>DS");
  fixed.choose_order = false;
  const TinyTask same(two_kinds(20));
  EXPECT_LT(chosen_run(fixed, same).curve.looks.back().right.front(),
            chosen.curve.looks.back().right.front());
}

TEST(OrderChoice, TheRightOrderStaysAndCostsLooksAlone) {
  const TinyTask task(two_kinds(20));
  const AveragingOutcome chosen = chosen_run(choice_request("DS>LD"), task);
  EXPECT_EQ(chosen.rounds.back().order, "size>diversity");
  EXPECT_EQ(chosen.costs.tries, 0u);
  EXPECT_EQ(chosen.costs.sums, 20u);  // two looks a round
  EXPECT_GT(chosen.costs.bytes_up, 0u);
  AveragingRequest fixed = choice_request("DS>LD");
  fixed.choose_order = false;
  const TinyTask same(two_kinds(20));
  EXPECT_EQ(chosen_run(fixed, same).model_hash, chosen.model_hash);  // nothing was tried: the same training
}

// Tries go over the devices' own updates: nobody trains twice in a round.
TEST(OrderChoice, NobodyTrainsTwice) {
  const TinyTask task(two_kinds(20));
  const AveragingOutcome chosen = chosen_run(choice_request("LD>DS"), task);
  EXPECT_GT(chosen.costs.tries, 0u);
  EXPECT_EQ(task.trainings, 10u * 10u);  // ten rounds of half of twenty
}

// A kept try has the model that a round under its order would have had.
TEST(OrderChoice, AKeptTryIsTheRoundUnderItsOrder) {
  const TinyTask task(two_kinds(20)), same(two_kinds(20));
  AveragingRequest one = choice_request("LD>DS");
  one.rounds = 1;
  AveragingRequest right = choice_request("DS>LD");
  right.rounds = 1;
  right.choose_order = false;
  const AveragingOutcome chosen = chosen_run(one, task);
  ASSERT_EQ(chosen.costs.changes, 1u);
  EXPECT_EQ(chosen.model_hash, chosen_run(right, same).model_hash);
}

TEST(OrderChoice, SumsMayBeSecure) {
  const TinyTask task(two_kinds(20)), same(two_kinds(20));
  AveragingRequest secure = choice_request("LD>DS");
  secure.sum.kind = SumKind::shares;
  const AveragingOutcome chosen = chosen_run(secure, task);
  EXPECT_EQ(chosen.rounds.back().order, "size>diversity");
  EXPECT_EQ(chosen.model_hash, chosen_run(choice_request("LD>DS"), same).model_hash);
}

}  // namespace
}  // namespace sotto
