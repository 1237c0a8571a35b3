#include "engine/averaging/order_choice.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "engine/averaging/averaging_run.h"
#include "engine/averaging/testing/tiny_task.h"
#include "fed/secure/testing/noting_sum.h"

namespace sotto::engine {
namespace {

AveragingRequest choice_request(const std::string& order) {
  AveragingRequest request;
  request.rounds = 10;
  request.plan.cohort = 0.5;
  request.plan.seed = 3;
  request.criteria.order = *parse_order(order);
  request.choose_order = true;
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
  EXPECT_EQ(task.trainings.load(), 10u * 10u);  // ten rounds of half of twenty
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

// Where every order makes the model worse the one that held stays, and so do the weights that are told.
TEST(OrderChoice, WeightsAreThoseOfTheRoundThatWasKept) {
  std::vector<TinyDevice> falling;
  for (std::size_t n = 0; n < 20; ++n)
    falling.push_back(n % 2 == 0 ? TinyDevice{-0.3f, 10, 5} : TinyDevice{-0.2f, 1, 10});
  AveragingRequest request = choice_request("DS>LD");
  request.rounds = 3;
  const TinyTask task(falling), same(falling);
  const AveragingOutcome chosen = chosen_run(request, task);
  request.choose_order = false;
  const AveragingOutcome fixed = chosen_run(request, same);
  EXPECT_GT(chosen.costs.tries, 0u);
  ASSERT_EQ(chosen.costs.changes, 0u);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(chosen.rounds[n].weights.most, fixed.rounds[n].weights.most) << n;
    EXPECT_EQ(chosen.rounds[n].weights.sd, fixed.rounds[n].weights.sd) << n;
  }
}

// A device sends its update once more with another weight, and judges several models: never twice under the
// same masks.
TEST(OrderChoice, NoSessionIsUsedTwice) {
  const TinyTask task(two_kinds(20));
  const TinyFacts facts(task);
  SerialExecutor serial;
  SumOptions shares;
  shares.kind = SumKind::shares;
  std::deque<std::vector<std::uint64_t>> sessions;  // of each sum
  const SumMaker maker = [&](SumShape shape) {
    std::vector<std::uint64_t>& noted = sessions.emplace_back();
    auto sum = std::make_unique<NotingSum>(make_protocol(shares, sessions.size(), serial), noted);
    return std::make_unique<SecureCollector>(shares, shape, sessions.size(), serial, std::move(sum));
  };
  const std::unique_ptr<Collector> sum = maker(averaging_shape(task.parameters()));
  WeighingCollector weigher({.order = *parse_order("LD>DS")}, facts, {}, maker, *sum);
  AveragingPlan plan;
  plan.cohort = 0.5, plan.seed = 3;
  const RememberedTask remembered(task);
  AveragingFederation federation(remembered, plan, serial, weigher);
  OrderChoice choice(remembered, federation, weigher, maker, {*parse_order("LD>DS"), *parse_order("DS>LD")},
                     serial);
  for (int round = 0; round < 3; ++round) ASSERT_TRUE(choice.run_round().ok());
  ASSERT_EQ(choice.costs().tries, 1u);
  ASSERT_EQ(sessions.size(), 4u);  // the model's, criteria, scores, and what is right
  EXPECT_EQ(sessions.front().size(), 4u);
  EXPECT_EQ(sessions.back().size(), 7u);
  for (const auto& noted : sessions) EXPECT_EQ(std::set(noted.begin(), noted.end()).size(), noted.size());
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
}  // namespace sotto::engine
