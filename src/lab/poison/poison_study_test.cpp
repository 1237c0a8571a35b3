#include "lab/poison/poison_study.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/generate.h"
#include "sim/thread_pool.h"

namespace sotto::lab {
namespace {

Split poison_split() {
  const Dataset world =
      generate_world({.users = 300, .items = 200, .mean_interactions = 25.0, .seed = 3}).value();
  return split_dataset(world, {}).value();
}

PoisonRequest small_request() {
  PoisonRequest request;
  request.train.plan.epochs = 30;
  request.train.plan.fpl.factors = 6;
  request.train.plan.fpl.init_sd = 0.01f;
  request.train.data.paths = {"world"};
  EXPECT_TRUE(settle(request.train).ok());
  request.attacks = {PoisonAttack::boost};
  request.targets = 2;
  return request;
}

PoisonOutcome outcome_of(const PoisonRequest& request, const Split& split, std::size_t threads = 1) {
  ThreadPool pool(threads);
  return run_poison_study(request, split, pool, {}).value();
}

TEST(PoisonStudy, AnAttackWorksAndTheStandardDefenceStopsIt) {
  const Split split = poison_split();
  const PoisonOutcome outcome = outcome_of(small_request(), split);
  EXPECT_EQ(outcome.malicious,
            static_cast<std::size_t>(std::llround(0.05 * static_cast<double>(outcome.users))));
  ASSERT_EQ(outcome.attacks.size(), 1u);
  ASSERT_EQ(outcome.attacks[0].targets.size(), 2u);
  EXPECT_LT(outcome.clean.exposure, 0.05);
  EXPECT_GT(outcome.attacks[0].attacked.exposure, 0.3);
  EXPECT_LT(outcome.attacks[0].defended.exposure, 0.05);
  for (const TargetOutcome& target : outcome.attacks[0].targets) EXPECT_LE(target.interactions, 5u);
}

TEST(PoisonStudy, ThreadsChangeNothing) {
  const Split split = poison_split();
  PoisonRequest request = small_request();
  request.train.plan.epochs = 5;
  request.targets = 1;
  const PoisonOutcome one = outcome_of(request, split, 1), three = outcome_of(request, split, 3);
  EXPECT_EQ(one.clean.ndcg, three.clean.ndcg);
  EXPECT_EQ(one.attacks[0].attacked.ndcg, three.attacks[0].attacked.ndcg);
  EXPECT_EQ(one.attacks[0].defended.exposure, three.attacks[0].defended.exposure);
}

TEST(PoisonStudy, PeoplesOwnTermsHold) {
  const Split split = poison_split();
  PoisonRequest request = small_request();
  request.train.plan.epochs = 5;
  request.targets = 1;
  const double everybody = outcome_of(request, split).clean.ndcg;
  request.train.consent.mix = "open=0.5,closed=0.5";
  EXPECT_NE(outcome_of(request, split).clean.ndcg, everybody);
}

TEST(PoisonStudy, PlannedNoiseIsRefused) {
  PoisonRequest request = small_request();
  request.train.dp.place = "central";
  EXPECT_EQ(check(request).error().code, Code::usage);
}

TEST(PoisonStudy, CriteriaAreRefusedRatherThanLeftOut) {
  PoisonRequest request = small_request();
  EXPECT_TRUE(check(request).ok());
  request.train.criteria.order = "size";
  ASSERT_FALSE(check(request).ok());
  EXPECT_NE(check(request).error().message.find("[criteria]"), std::string::npos);
}

// Of 943 devices 47 lie; the other 896 draw 85 of 1,682 items: each meets an item with 1 − (1 − 1/1682)^85.
TEST(PoisonStudy, TheStandardDefenceIsTheWorkedExample) {
  Schedule schedule;
  schedule.cohort = 943;
  schedule.triples = 85;
  const RobustOptions defence = standard_defence(schedule, 1682, 47);
  const double expected = 896.0 * (1.0 - std::exp(85.0 * std::log(1.0 - 1.0 / 1682.0)));
  EXPECT_NEAR(expected, 44.2, 0.1);
  EXPECT_EQ(defence.min_contributors, 47u + 71u);  // 44.2 + 4 · 6.65
  EXPECT_EQ(defence.row_clip, 1.0);
}

TEST(PoisonStudy, AStopIsHeard) {
  const Split split = poison_split();
  ThreadPool pool(1);
  const std::atomic<bool> stop{true};
  PoisonHooks hooks;
  hooks.stop = &stop;
  EXPECT_EQ(run_poison_study(small_request(), split, pool, hooks).error().code, Code::cancelled);
}

}  // namespace
}  // namespace sotto::lab
