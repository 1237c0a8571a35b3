// Ways to fill a round: drawn cohorts, buffers, noise, criteria; and that order does not matter.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
#include "fed/selection.h"
#include "server/testing/coordinator_world.h"

namespace sotto::server::coordinator_modes_test {
namespace {

// Two of five people, drawn.
TaskConfig drawn_config() {
  TaskConfig config = world_config(2, 3);
  config.rules.selection = RoundRules::Selection::drawn;
  config.rules.population = 5;
  return config;
}
// Who they will be.
CohortSelector drawn_cohorts() {
  std::vector<UserIndex> everybody;
  for (std::uint32_t n = 0; n < 5; ++n) everybody.push_back({n});
  return CohortSelector(everybody, 2, 7);
}

TEST(CoordinatorModes, DrawnCohortsAreTheSimulators) {
  World world(drawn_config(), 5);
  CohortSelector selector = drawn_cohorts();
  std::vector<std::vector<std::uint32_t>> cohorts;
  for (std::uint32_t round = 0; round < 3; ++round) {
    cohorts.emplace_back();
    for (const UserIndex user : selector.select(round)) cohorts.back().push_back(user.value);
    for (std::uint32_t n = 0; n < 5; ++n) {
      const bool drawn = std::find(cohorts.back().begin(), cohorts.back().end(), n) != cohorts.back().end();
      // The last of a cohort opens the next one's door.
      if (world.newest().number == round) {
        EXPECT_EQ(world.check_in(n).has_assignment(), drawn);
      }
      if (drawn) world.exchange(n);
    }
  }
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), cohorts));
}

// Nobody who was drawn comes: after a round's time others are drawn, under another number.
TEST(CoordinatorModes, ADrawnCohortThatDoesNotComeIsDrawnAnew) {
  const TaskConfig config = drawn_config();
  World world(config, 5);
  CohortSelector selector = drawn_cohorts();
  std::set<std::uint32_t> away;
  for (const UserIndex user : selector.select(0)) away.insert(user.value);
  const auto others_ask = [&] {
    for (std::uint32_t n = 0; n < 5; ++n)
      if (!away.contains(n)) {
        EXPECT_FALSE(world.check_in(n).has_assignment());
      }
  };
  others_ask();
  world.now += config.rules.round_ms - 1;
  world.own->tick(world.now);
  others_ask();
  EXPECT_TRUE(world.store.rounds("small", 10)->empty());
  world.now += 1;
  world.own->tick(world.now);
  EXPECT_EQ(world.last_round().round, 0u);
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  EXPECT_EQ(world.last_round().why, "none of the devices that were drawn came");
  std::vector<std::uint32_t> next;
  for (const UserIndex user : selector.select(1)) next.push_back(user.value);
  ASSERT_NE(std::set(next.begin(), next.end()), away);
  for (const std::uint32_t n : next) world.exchange(n);
  EXPECT_EQ(world.last_round().round, 1u);
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), {next}, 1));
  // Nobody asks: nothing is drawn, and no numbers are used up.
  world.now += 10 * config.rules.round_ms;
  world.own->tick(world.now);
  EXPECT_EQ(world.last_round().round, 1u);
}

// A pause is no time in which they could have come.
TEST(CoordinatorModes, ADrawnCohortHasItsTimeAfterAPause) {
  const TaskConfig config = drawn_config();
  World world(config, 5);
  CohortSelector selector = drawn_cohorts();
  const auto drawn = selector.select(0);
  std::uint32_t other = 0;
  while (std::any_of(drawn.begin(), drawn.end(), [&](UserIndex one) { return one.value == other; })) ++other;
  EXPECT_FALSE(world.check_in(other).has_assignment());
  ASSERT_TRUE(world.own->ask("pause", "", world.now).ok());
  world.now += 2 * config.rules.round_ms;
  ASSERT_TRUE(world.own->ask("resume", "", world.now).ok());
  world.own->tick(world.now);
  EXPECT_TRUE(world.store.rounds("small", 10)->empty());
  EXPECT_FALSE(world.check_in(other).has_assignment());
  EXPECT_TRUE(world.check_in(drawn.front().value).has_assignment());
}

TEST(CoordinatorModes, ABufferTakesWhoComesAndIsNotTooOld) {
  TaskConfig config = world_config(2);
  config.rules.mode = RoundRules::Mode::buffered;
  config.rules.over_selection = 3.0;
  config.rules.max_staleness = 1;
  World world(config, 4);
  const v1::Assignment slow = world.assigned(3), slower = world.assigned(2);
  const std::string first = world.devices[3].contribution(slow.round(), world.model(3, slow));
  const std::string second = world.devices[2].contribution(slower.round(), world.model(2, slower));
  world.exchange(0);
  EXPECT_FALSE(world.check_in(0).has_assignment());  // one a device and buffer
  world.exchange(1);
  EXPECT_EQ(world.newest().number, 1u);
  EXPECT_EQ(world.give(3, slow, first).refusal(), v1::REFUSAL_NONE);  // a version behind
  world.exchange(0);
  EXPECT_EQ(world.newest().number, 2u);
  EXPECT_EQ(world.newest().contributions, 2u);
  EXPECT_EQ(world.give(2, slower, second).refusal(), v1::REFUSAL_TOO_LATE);  // two behind
  world.own->tick(world.now);
  world.exchange(2);
  const v1::Assignment expired = world.assigned(1);
  world.exchange(3);
  EXPECT_EQ(world.newest().number, 3u);
  world.now += 10'000;  // no buffer is open, and who was too slow is asked again
  world.own->tick(world.now);
  EXPECT_NE(world.assigned(1).token(), expired.token());
}

TEST(CoordinatorModes, ASpentBudgetFinishesTheTask) {
  TaskConfig config = world_config(2);
  config.spec.set_clip(0.5);
  config.dp = TaskDp{.noise_multiplier = 2.0, .epsilon = 6.0, .delta = 1e-5};
  // What so many rounds cost, reckoned apart: the most that fit.
  std::uint32_t fits = 0;
  while (cost_of({.noise = 2.0, .sampling = 1.0, .times = fits + 1}, 1e-5, Accountant::rdp) <= 6.0) ++fits;
  ASSERT_GT(fits, 0u);
  World world(config, 2);
  while (world.status("state") == "running") {
    world.exchange(0);
    if (world.newest().number == 1) world.restart();  // what was charged stays charged
    world.now += 1;
    if (world.store.open_rounds()->empty()) world.exchange(0);
    world.exchange(1);
    ASSERT_LE(world.newest().number, fits);
  }
  EXPECT_EQ(world.newest().number, fits);
  EXPECT_NE(world.status("why").find("budget"), std::string::npos) << world.status("why");
  EXPECT_NE(world.newest().model_hash, by_hand(world_spec(), {{0, 1}}));
  EXPECT_FALSE(world.own->ask("resume", "", world.now).ok());
}

TEST(CoordinatorModes, ConditionsAndCriteriaDecideWhoIsTaken) {
  TaskConfig config = world_config(2);
  config.rules.need_power = true;
  config.rules.criterion = "light";
  World world(config, 1);
  v1::CheckInRequest request;
  EXPECT_FALSE(world.check_in(0, request).has_assignment());
  request.set_on_power(true);
  EXPECT_FALSE(world.check_in(0, request).has_assignment());
  (*request.mutable_criteria())["light"] = 1.0;
  EXPECT_TRUE(world.check_in(0, request).has_assignment());
  RoundRules waiting;
  waiting.criterion = "longest-waiting";
  EXPECT_EQ(admission_chance(waiting, request, 50, 100), 0.5);
  EXPECT_EQ(admission_chance(waiting, request, 200, 100), 1.0);
}

TEST(CoordinatorModes, TheMoreDevicesTheWiderTheWindow) {
  // 3,000 devices in a window of 2 to 4 seconds come at 1,000 a second: no more need be done.
  EXPECT_EQ(pace({2000, 4000}, 3000, 1000).max_ms, 4000u);
  // Ten times as many, or a tenth of the rate: ten times the window.
  EXPECT_EQ(pace({2000, 4000}, 30'000, 1000).min_ms, 20'000u);
  EXPECT_EQ(pace({2000, 4000}, 3000, 100).max_ms, 40'000u);
  for (int n = 0; n < 100; ++n) {
    const std::uint32_t ms = random_within({10, 20});
    EXPECT_TRUE(ms >= 10 && ms < 20);
  }
}

// Any order of valid requests, any of them twice, in pieces or whole: the same bytes.
RC_GTEST_PROP(CoordinatorModes, OrderAndRepetitionDoNotMatter, ()) {
  constexpr std::uint32_t devices = 4;
  Stream drawn(*rc::gen::arbitrary<std::uint64_t>(), Purpose::random_scores);
  const std::string expected = by_hand(world_spec(), {{0, 1, 2, 3}});
  World world(world_config(devices), devices);
  std::vector<std::optional<v1::Assignment>> assignments(devices);
  std::vector<std::string> messages(devices);
  while (world.newest().number == 0) {
    const auto device = drawn.below(devices);
    if (!assignments[device] || (messages[device].empty() && drawn.below(3) == 0)) {
      const v1::Assignment got = world.assigned(device);
      if (assignments[device]) RC_ASSERT(assignments[device]->token() == got.token());
      assignments[device] = got;
      continue;
    }
    if (messages[device].empty())
      messages[device] = world.devices[device].contribution(0, world.model(device, *assignments[device]));
    const std::string& message = messages[device];
    const auto half = drawn.below(static_cast<std::uint32_t>(message.size()));
    v1::StepRequest request =
        World::step_of(*assignments[device], v1::PHASE_CONTRIBUTION, message.substr(0, half));
    request.set_total(message.size());
    if (drawn.below(2) == 0) (void)world.ask(device, Method::step, request);
    RC_ASSERT(world.give(device, *assignments[device], message).refusal() == v1::REFUSAL_NONE);
  }
  RC_ASSERT(world.newest().model_hash == expected);
}

TEST(TaskConfigs, ThoseThatCannotRunAreRefused) {
  const auto refused = [](auto change, const char* why) {
    TaskConfig config = world_config(4, 10);
    change(config);
    const Status checked = check(config);
    EXPECT_FALSE(checked.ok()) << why;
    if (checked.ok()) return;
    EXPECT_NE(checked.error().message.find(why), std::string::npos) << checked.error().message;
  };
  EXPECT_TRUE(check(world_config(4, 10)).ok());
  refused([](auto& c) { c.rules.quorum = 5; }, "never met");
  refused([](auto& c) { c.rules.over_selection = 0.5; }, "over_selection");
  refused([](auto& c) { c.rules.gather_ms = 20'000; }, "never starts");
  refused([](auto& c) { c.rules.selection = RoundRules::Selection::drawn; }, "raise population");
  refused([](auto& c) { c.rules.max_staleness = 1; }, "mode = buffered");
  refused([](auto& c) { c.dp = TaskDp{.noise_multiplier = 1.0, .epsilon = 1.0}; }, "set clip");
  const auto secure = [](auto& c) {
    c.spec.set_sum(v1::SUM_SECURE);
    c.spec.mutable_assumed()->set_dropped(0.3);
    c.spec.mutable_assumed()->set_leak(0x1p-40);
    c.spec.mutable_assumed()->set_abort(0x1p-20);
    c.spec.mutable_assumed()->set_crowd(10);
  };
  refused([&](auto& c) { secure(c); }, "cannot be as safe");
  refused(
      [&](auto& c) {
        secure(c);
        c.rules.mode = RoundRules::Mode::buffered;
      },
      "needs a cohort");
  refused(
      [](auto& c) {
        c.spec.set_clip(1.0);
        c.rules.rounds = 0;
        c.dp = TaskDp{.epsilon = 1.0};
      },
      "set rounds");
}

}  // namespace
}  // namespace sotto::server::coordinator_modes_test
