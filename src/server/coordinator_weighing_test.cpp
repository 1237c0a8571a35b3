// Rounds whose devices count by criteria: who lies, who leaves, and what cannot be asked for.
#include <gtest/gtest.h>

#include "fed/criteria/weighing.h"
#include "server/testing/plain_member.h"
#include "server/testing/secure_world.h"

namespace sotto::server::coordinator_weighing_test {
namespace {

constexpr std::uint32_t people = 6;

TaskConfig weighed_config(bool secure = false) {
  TaskConfig config = secure ? secure_config(people) : world_config(people);
  config.spec.mutable_criteria()->set_order("closeness");
  config.spec.mutable_criteria()->set_least_tellers(3);
  if (!secure) config.rules.quorum = 3;
  return config;
}

std::deque<PlainMember> members_of(World& world) {
  std::deque<PlainMember> all;
  for (std::uint32_t n = 0; n < people; ++n) all.emplace_back(world, n);
  return all;
}

// A part in the open, of all that are left.
void play_part(std::deque<PlainMember>& all, std::uint32_t part) {
  for (const PlainMember& one : all)
    EXPECT_EQ(one.give(part), part < 3 ? v1::StepReply::WAIT : v1::StepReply::TAKEN);
  if (part == 3) return;
  if (PlainMember::progress_of(all.front().send(part, true)) == v1::StepReply::WAIT) {
    World& world = all.front().world;
    world.own->tick(world.now += 2'500 * (part + 1));  // its share of ten seconds
  }
  for (PlainMember& one : all) one.hear(part);
}

// What a round of plain sums makes where the last falls silent before a part; 4: nobody does.
std::string made_in_the_open(std::uint32_t silent_before) {
  World world(weighed_config(), people);
  std::deque<PlainMember> all = members_of(world);
  for (std::uint32_t part = 0; part < 4; ++part) {
    if (part == silent_before) all.pop_back();
    play_part(all, part);
  }
  if (world.last_round().state == RoundState::open) world.own->tick(world.now += 10'000);
  EXPECT_EQ(world.newest().number, 1u) << silent_before << world.last_round().why;
  EXPECT_EQ(world.newest().contributions, all.size());
  return world.newest().model_hash;
}

std::string made_in_secret(std::uint32_t silent_before, std::string& why) {
  World world(weighed_config(true), people);
  std::deque<SecureDevice> all;
  for (std::uint32_t n = 0; n < people; ++n) all.emplace_back(world, n);
  for (std::uint32_t part = 0; part < 4; ++part) {
    if (part > 0)
      for (SecureDevice& one : all) one.next_part();
    if (part == silent_before) all.pop_back();
    for (SecureDevice& one : all) one.join();
    for (const v1::Phase phase : phases) {
      for (SecureDevice& one : all) (void)one.send(phase, one.message, false);
      if (part >= silent_before && all.front().waits(phase)) world.own->tick(world.now += 1'000);
      if (world.last_round().state == RoundState::abandoned) return why = world.last_round().why, "";
      if (phase == v1::PHASE_REVEAL) break;
      for (SecureDevice& one : all) one.answer(phase);
    }
  }
  EXPECT_EQ(world.newest().number, 1u) << silent_before << world.last_round().why;
  return world.newest().model_hash;
}

TEST(ARoundByCriteria, GoesOnWithThoseWhoStay) {
  std::set<std::string> made;
  for (const std::uint32_t before : {1u, 2u, 3u, 4u}) {
    const std::string plain = made_in_the_open(before);
    // Of a single criterion weights are its shares among those who give a score.
    EXPECT_TRUE(made.insert(plain).second || before == 2) << before;
    std::string why;
    const std::string secure = made_in_secret(before, why);
    // Whether they tell would show in the difference of how many do.
    EXPECT_EQ(secure, before == 1 ? "" : plain) << before;
    EXPECT_EQ(why.find("the difference of both") != std::string::npos, before == 1) << why;
  }
}

TEST(ARoundByCriteria, RefusesALiarAndGoesOn) {
  World world(weighed_config(), people);
  std::deque<PlainMember> all = members_of(world);
  const auto lie = [&](std::uint32_t part, std::vector<std::int32_t> numbers) {
    Contribution made(numbers_a_row);
    put_numbers(numbers, made);
    return world.give(0, all[0].assignment, pack_contribution({all[0].assignment.round(), made}), part);
  };
  EXPECT_EQ(lie(0, {7}).refusal(), v1::REFUSAL_BAD_VALUE);
  play_part(all, 0);
  const v1::Reply above = lie(1, {value_unit + 1, 1});
  EXPECT_EQ(above.refusal(), v1::REFUSAL_BAD_VALUE);
  EXPECT_NE(above.why().find("the criterion closeness is below 0, above 1"), std::string::npos)
      << above.why();
  EXPECT_EQ(lie(1, {-5, 1}).refusal(), v1::REFUSAL_BAD_VALUE);
  play_part(all, 1);
  EXPECT_EQ(lie(2, {fixed_limit + 1}).refusal(), v1::REFUSAL_BAD_VALUE);
  play_part(all, 2);
  play_part(all, 3);
  EXPECT_EQ(world.newest().model_hash, made_in_the_open(4)) << "as if nobody had lied";
}

TEST(ARoundByCriteria, IsGivenUpWhereNobodyCounts) {
  World world(weighed_config(), people);
  std::deque<PlainMember> all = members_of(world);
  play_part(all, 0);
  play_part(all, 1);
  Contribution nothing(numbers_a_row);
  put_numbers(std::vector<std::int32_t>{0}, nothing);
  for (const PlainMember& one : all)
    (void)world.give(one.number, one.assignment, pack_contribution({one.assignment.round(), nothing}), 2);
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  EXPECT_NE(world.last_round().why.find("nobody counts"), std::string::npos) << world.last_round().why;
}

TEST(ARoundByCriteria, IsRefusedWhereItCannotBe) {
  const auto why = [](const std::function<void(TaskConfig&)>& change) {
    TaskConfig config = weighed_config();
    change(config);
    const Status fits = check(config);
    return fits.ok() ? "" : fits.error().message;
  };
  EXPECT_EQ(why([](TaskConfig&) {}), "");
  EXPECT_NE(why([](TaskConfig& config) {
              config.spec.set_clip(1.0);
              config.rules.rounds = 5;
              config.dp.emplace();
              config.dp->epsilon = 1.0;
            }).find("carry no noise"),
            std::string::npos);
  EXPECT_NE(why([](TaskConfig& config) { config.rules.quorum = 1; }).find("compare the devices"),
            std::string::npos);
  // A member of a sum over two knows the other's numbers.
  EXPECT_NE(why([](TaskConfig& config) { config.rules.quorum = 2; }).find("fewer than the crowd of 3"),
            std::string::npos);
  EXPECT_NE(why([](TaskConfig& config) { config.rules.mode = RoundRules::Mode::buffered; }).find("cohort"),
            std::string::npos);
  const auto drawn = [&](std::uint32_t population) {
    return why([&](TaskConfig& config) {
      config.spec.mutable_criteria()->set_order("recency");
      config.rules.selection = RoundRules::Selection::drawn;
      config.rules.population = population;
    });
  };
  EXPECT_NE(drawn(people).find("everybody is in each round"), std::string::npos);
  EXPECT_EQ(drawn(people + 1), "");
}

// One that needs categories does not begin without.
TEST(ARoundByCriteria, NeedsACatalogueThatSaysWhatItMeasures) {
  TaskConfig config = weighed_config();
  config.spec.mutable_criteria()->set_order("diversity");
  MemoryStore store;
  LogLines log;
  const auto opened = Coordinator::open(store, {}, {config}, log, 0);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("categories"), std::string::npos);
}

}  // namespace
}  // namespace sotto::server::coordinator_weighing_test
