// A coordinator of federated ALS: what it takes, and what it makes of a round.
#include <gtest/gtest.h>

#include "fed/models/testing/slow_als.h"
#include "fed/wire/round_plain.h"
#include "privacy/dp/calibrate.h"
#include "server/budget_text.h"
#include "server/testing/coordinator_world.h"

namespace sotto::server::coordinator_als_test {
namespace {

TaskConfig als_config(std::uint32_t goal) {
  TaskConfig config = world_config(goal);
  config.spec = als_spec(30);
  config.spec.set_reproducible(true);
  return config;
}

RowMatrix master_of(World& world) {
  return *read_published(*world.store.blob(world.newest().master), {30, 4, v1::PRECISION_F32});
}

// How many releases the store's budget was charged for.
std::uint64_t times_charged(World& world) {
  const auto budget = read_budget(world.store.tasks()->front().budget, "the test's budget");
  EXPECT_TRUE(budget.ok());
  std::uint64_t times = 0;
  for (const BudgetCharge& charge : budget->charges()) times += charge.releases.times;
  return times;
}

// The newest version, solved by hand from the private rows that its round's devices had.
void expect_solved(World& world, std::uint32_t devices) {
  const AlsOptions als = options_of<AlsOptions>(world.devices[0].task);
  SlowRows people;
  for (std::uint32_t n = 0; n < devices; ++n) people.push_back(slow_rows(world.devices[n].own).front());
  const RowMatrix master = master_of(world);
  for (std::uint32_t item = 0; item < 30; ++item) {
    std::vector<std::size_t> who;
    for (std::uint32_t n = 0; n < devices; ++n) {
      const auto history = WorldDevice::history(n, 30);
      if (std::binary_search(history.begin(), history.end(), ItemIndex{item})) who.push_back(n);
    }
    const std::vector<double> q = slow_solution(als, people, who);
    for (std::size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(master.row(item)[k], q[k], 2e-3) << item;
  }
}

TEST(ACoordinatorOfFederatedAls, SolvesEachRoundAndGoesOnAfterARestart) {
  World world(als_config(4), 4);
  for (std::uint32_t n = 0; n < 4; ++n) world.exchange(n);
  EXPECT_EQ(world.newest().number, 1u);
  expect_solved(world, 4);
  const std::string first = world.newest().model_hash;
  world.restart();
  for (std::uint32_t n = 4; n-- > 0;) world.exchange(n);
  EXPECT_EQ(world.status("model"), "fedals");
  EXPECT_EQ(world.newest().number, 2u);
  EXPECT_NE(world.newest().model_hash, first);
  expect_solved(world, 4);
}

TEST(ACoordinatorOfFederatedAls, RefusesWhatIsNoStatistic) {
  World world(als_config(2), 3);
  const v1::Assignment assignment = world.assigned(0);
  const RowMatrix shared = world.model(0, assignment);
  const std::string honest = world.devices[0].contribution(assignment.round(), shared);
  // A row of the model is narrower than one of the sum.
  v1::TaskSpec other = world_spec();
  other.set_factors(3);
  WorldDevice narrow(0, other);
  EXPECT_EQ(world.give(0, assignment, narrow.contribution(assignment.round(), shared)).refusal(),
            v1::REFUSAL_WRONG_SHAPE);
  // One device that would count as sixteen.
  Contribution lie = world.devices[0].last;
  for (std::size_t n = 0; n < lie.size(); ++n) ContributionEdit(lie).values(n)[9] *= 16;
  EXPECT_EQ(world.give(0, assignment, pack_contribution({assignment.round(), lie}, true)).refusal(),
            v1::REFUSAL_BAD_VALUE);
  // Rows that differ have no form here: the bits do not fill the message.
  EXPECT_EQ(
      world.give(0, assignment, pack_contribution({assignment.round(), world.devices[0].last})).refusal(),
      v1::REFUSAL_BAD_VALUE);
  v1::StepRequest large = World::step_of(assignment, v1::PHASE_CONTRIBUTION, honest);
  large.set_total(PlainRound::most_bytes(world.devices[0].task) + 1);
  EXPECT_EQ(world.ask(0, Method::step, large).refusal(), v1::REFUSAL_TOO_LARGE);
  // What was refused left no trace.
  EXPECT_EQ(world.give(0, assignment, honest).refusal(), v1::REFUSAL_NONE);
  world.exchange(1);
  EXPECT_EQ(world.newest().number, 1u);
  expect_solved(world, 2);
}

// Little noise on every number of the sums: a model still comes out, another one, and is charged for.
TEST(ACoordinatorOfFederatedAls, ReleasesNoisySumsAndChargesThem) {
  TaskConfig config = als_config(8);
  config.spec.set_clip(100.0);
  config.dp = TaskDp{.noise_multiplier = 1e-5, .epsilon = 1e12, .delta = 1e-6, .population = 0};
  World world(config, 8), quiet(als_config(8), 8);
  EXPECT_EQ(times_charged(world), 0u);
  for (std::uint32_t n = 0; n < 8; ++n) {
    world.exchange(n);
    quiet.exchange(n);
  }
  ASSERT_EQ(world.newest().number, 1u) << world.last_round().why;
  const RowMatrix noisy = master_of(world), exact = master_of(quiet);
  EXPECT_NE(world.newest().model_hash, quiet.newest().model_hash);
  for (std::uint32_t item = 0; item < 30; ++item)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(noisy.row(item)[k], exact.row(item)[k], 0.1) << item;
  EXPECT_EQ(times_charged(world), 1u);
}

// Noise far above what four devices say: no round has a solution. That it has none is learnt from the sums.
TEST(ACoordinatorOfFederatedAls, ChargesNoisyRoundsWithoutASolution) {
  TaskConfig config = als_config(4);
  config.spec.set_clip(10.0);
  config.dp = TaskDp{.noise_multiplier = 2.0, .epsilon = 6.0, .delta = 1e-5, .population = 0};
  std::uint32_t fits = 0;  // reckoned apart
  while (cost_of({.noise = 2.0, .sampling = 1.0, .times = fits + 1}, 1e-5, Accountant::rdp) <= 6.0) ++fits;
  ASSERT_GT(fits, 1u);
  World world(config, 4);
  for (std::uint32_t round = 1; round <= fits; ++round) {
    ASSERT_EQ(world.status("state"), "running") << round;
    const v1::Assignment first = world.assigned(0);
    const std::string message = world.devices[0].contribution(first.round(), world.model(0, first));
    EXPECT_EQ(world.give(0, first, message).refusal(), v1::REFUSAL_NONE);
    EXPECT_EQ(times_charged(world), round - 1);
    for (std::uint32_t n = 1; n < 4; ++n) world.exchange(n);
    ASSERT_EQ(world.last_round().state, RoundState::abandoned);
    EXPECT_NE(world.last_round().why.find("noise"), std::string::npos) << world.last_round().why;
    EXPECT_EQ(times_charged(world), round);
    const v1::Reply late = world.give(0, first, message);
    EXPECT_EQ(late.refusal(), v1::REFUSAL_ROUND_FAILED);
    EXPECT_EQ(late.why(), "the round was given up; no model came of it");
    if (round == 1) world.restart();
    EXPECT_EQ(times_charged(world), round);
  }
  EXPECT_EQ(world.newest().number, 0u);
  EXPECT_EQ(world.status("state"), "finished");
  EXPECT_NE(world.status("why").find("budget"), std::string::npos) << world.status("why");
}

// A disk that is full when the round ends: the charge is not forgotten, and the next end of a round writes
// it.
TEST(ACoordinatorOfFederatedAls, KeepsAChargeThatCouldNotBeWritten) {
  TaskConfig config = als_config(2);
  config.spec.set_clip(10.0);
  config.dp = TaskDp{.noise_multiplier = 2.0, .epsilon = 1e3, .delta = 1e-5, .population = 0};
  World world(config, 2);
  world.exchange(0);
  const v1::Assignment last = world.assigned(1);
  const std::string message = world.devices[1].contribution(last.round(), world.model(1, last));
  world.store.writes_left = 0;
  EXPECT_EQ(world.give(1, last, message).refusal(), v1::REFUSAL_NONE);
  world.store.writes_left = -1;
  EXPECT_EQ(times_charged(world), 0u);
  world.exchange(0);
  world.exchange(1);
  EXPECT_EQ(times_charged(world), 2u);
}

TEST(ACoordinatorOfFederatedAls, RefusesRulesThatWouldMakeAnotherModel) {
  const auto said = [](const TaskConfig& config) {
    const Status checked = check(config);
    return checked.ok() ? std::string() : checked.error().message;
  };
  EXPECT_EQ(said(als_config(4)), "");
  TaskConfig config = als_config(4);
  config.spec.set_clip(1.0);
  EXPECT_NE(said(config).find("leave clip and row_clip out"), std::string::npos);
  config.dp = TaskDp{.noise_multiplier = 1.0, .epsilon = 10.0, .delta = 1e-6, .population = 0};
  EXPECT_EQ(said(config), "");
  config = als_config(4);
  config.spec.set_row_clip(1.0);
  EXPECT_NE(said(config).find("leave clip and row_clip out"), std::string::npos);
  config = als_config(4);
  config.rules.mode = RoundRules::Mode::buffered;
  EXPECT_EQ(said(config), "");
  config.rules.max_staleness = 1;
  EXPECT_NE(said(config).find("leave max_staleness out"), std::string::npos);
  config = als_config(4);
  config.rules.selection = RoundRules::Selection::drawn;
  config.rules.population = 5;
  EXPECT_NE(said(config).find("set goal to the 5"), std::string::npos);
  config.rules.population = 4;
  EXPECT_EQ(said(config), "");
}

}  // namespace
}  // namespace sotto::server::coordinator_als_test
