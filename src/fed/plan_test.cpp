#include "fed/plan.h"

#include <gtest/gtest.h>

#include <limits>

namespace sotto::fed::plan_test {

TEST(Plan, TheFourVariantsAndTheirSchedules) {
  // Amazon Digital Music's shape: 1,835 users, 61,408 training records, T = ⌊61408/1835⌋ = 33.
  struct Row {
    const char* variant;
    RoundsPerEpoch rule;
    std::uint32_t cohort, triples, rounds;
  };
  const Row table[] = {
      {"sfpl", RoundsPerEpoch::steps, 1, 1, 61408},     {"sfpl+", RoundsPerEpoch::steps, 1, 33, 1860},
      {"pfpl", RoundsPerEpoch::steps, 1835, 1, 33},     {"pfpl+", RoundsPerEpoch::steps, 1835, 33, 1},
      {"sfpl", RoundsPerEpoch::exchanges, 1, 1, 61408}, {"sfpl+", RoundsPerEpoch::exchanges, 1, 33, 61408},
      {"pfpl", RoundsPerEpoch::exchanges, 1835, 1, 33}, {"pfpl+", RoundsPerEpoch::exchanges, 1835, 33, 33}};
  for (const Row& row : table) {
    Plan plan;
    plan.rounds_per_epoch = row.rule;
    ASSERT_TRUE(set_variant(plan, row.variant).ok());
    EXPECT_EQ(variant_of(plan), row.variant);
    const Schedule schedule = schedule_for(plan, 1835, 61408).value();
    EXPECT_EQ(schedule.cohort, row.cohort) << row.variant;
    EXPECT_EQ(schedule.triples, row.triples) << row.variant;
    EXPECT_EQ(schedule.rounds_per_epoch, row.rounds) << row.variant;
    EXPECT_EQ(schedule.rounds, std::uint64_t{row.rounds} * plan.epochs);
  }
}

TEST(Plan, AnythingBetweenIsAPlanToo) {
  Plan plan;
  plan.cohort = 0.1;
  plan.triples = 5;
  EXPECT_EQ(variant_of(plan), "custom");
  const Schedule schedule = schedule_for(plan, 1000, 40000).value();
  EXPECT_EQ(schedule.cohort, 100u);
  EXPECT_EQ(schedule.rounds_per_epoch, 80u);
  // rpe·|U⁻|·(|I| + T(1+π)) = 80·100·(500 + 5·1.5)
  EXPECT_DOUBLE_EQ(schedule.vectors_per_epoch(500, 0.5), 80.0 * 100.0 * 507.5);
}

TEST(Plan, BadValuesAreRefusedByName) {
  const auto refused = [](auto change, const char* word) {
    Plan plan;
    change(plan);
    const Status status = check(plan);
    ASSERT_FALSE(status.ok()) << word;
    EXPECT_EQ(status.error().code, Code::usage);
    EXPECT_NE(status.error().message.find(word), std::string::npos) << status.error().message;
  };
  refused([](Plan& p) { p.fpl.factors = 0; }, "factors");
  refused([](Plan& p) { p.fpl.learning_rate = 0.0f; }, "learning rate");
  refused([](Plan& p) { p.fpl.learning_rate = std::numeric_limits<float>::infinity(); }, "learning rate");
  refused([](Plan& p) { p.fpl.user_reg = -1.0f; }, "user regularisation");
  refused([](Plan& p) { p.fpl.init_sd = std::numeric_limits<float>::quiet_NaN(); }, "initial deviation");
  refused([](Plan& p) { p.consent.pi = 1.01; }, "pi");
  refused([](Plan& p) { p.cohort = -0.5; }, "cohort");
  refused([](Plan& p) { p.epochs = 0; }, "epochs");
  refused([](Plan& p) { p.fixed.bits = 31; }, "fixed-bits");
  refused([](Plan& p) { p.triples = 2'000'000; }, "triples");
  refused([](Plan& p) { p.triples = 0; }, "triples");
  Plan plan;
  EXPECT_FALSE(set_variant(plan, "qfpl").ok());
  EXPECT_FALSE(parse_rounds_per_epoch("laps").ok());
}

TEST(Plan, NobodyToTrainOnIsAnError) {
  const auto schedule = schedule_for(Plan{}, 0, 0);
  ASSERT_FALSE(schedule.ok());
  EXPECT_EQ(schedule.error().code, Code::bad_input);
}

TEST(Plan, MoreRoundsThanCanBeCountedIsAnError) {
  Plan plan;
  ASSERT_TRUE(set_variant(plan, "sfpl").ok());
  plan.epochs = 4'000'000'000u;
  EXPECT_FALSE(schedule_for(plan, 100, 4000).ok());
}

}  // namespace sotto::fed::plan_test
