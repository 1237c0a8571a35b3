// Members that spoil secure sums: what becomes of their rounds, of the others and of themselves.
#include "server/conduct.h"

#include <functional>

#include "server/testing/secure_world.h"

namespace sotto::server::conduct_test {
namespace {

constexpr std::uint32_t crowd = 12;
constexpr std::uint32_t liar = 3;
using Lie = std::function<void(v1::Phase, std::string& message)>;

template <class M>
void change(std::string& message, const std::function<void(M&)>& how) {
  auto decoded = decode<M>(bytes(message));
  ASSERT_TRUE(decoded.ok());
  how(*decoded);
  message = text(encode(*decoded));
}

// A round of all that are let in; the liar's messages go through `lie`. Whether it committed.
bool play(World& world, const Lie& lie) {
  const std::uint32_t before = world.newest().number;
  std::deque<SecureDevice> all;
  for (std::uint32_t n = 0; n < crowd; ++n)
    if (const v1::CheckInReply reply = world.check_in(n); reply.has_assignment())
      all.emplace_back(world, n, reply.assignment());
  if (all.size() < crowd) {
    world.now += 1'000;  // nobody else comes
    world.own->tick(world.now);
  }
  if (all.empty() || all.front().waits(v1::PHASE_JOIN)) {  // too few for the terms
    world.now += 10'000;
    world.own->tick(world.now);
    return false;
  }
  for (SecureDevice& one : all) one.join();
  for (const v1::Phase phase : phases) {
    for (SecureDevice& one : all) {
      if (one.number == liar) lie(phase, one.message);
      (void)one.send(phase, one.message, false);
    }
    if (phase == v1::PHASE_REVEAL) break;
    for (SecureDevice& one : all) one.answer(phase);
  }
  EXPECT_TRUE(world.own->idle()) << "nobody waits for a phase's time";
  return world.newest().number > before;
}

nlohmann::json device(World& world, std::uint32_t number) {
  for (const auto& one : nlohmann::json::parse(*world.own->ask("devices", "", world.now)))
    if (one["index"] == number) return one;
  return {};
}
bool kept_out(World& world, std::uint32_t number) {
  const auto one = device(world, number);
  return one.contains("secure_sums") && one["secure_sums"]["kept_out"].get<bool>();
}

void honest(v1::Phase /*phase*/, std::string& /*message*/) {}
void wrong_shares(v1::Phase phase, std::string& message) {
  if (phase == v1::PHASE_REVEAL)
    change<RevealMessage>(message, [](RevealMessage& all) {
      for (RevealedShare& one : all.shares) one.share.limbs[1] = field_add(one.share.limbs[1], 5);
    });
}
void forged_letters(v1::Phase phase, std::string& message) {
  if (phase == v1::PHASE_LETTERS)
    change<LettersMessage>(message, [](LettersMessage& all) {
      for (Letter& letter : all.letters) letter.sealed[3] ^= 1;
    });
}
void nonsense_input(v1::Phase phase, std::string& message) {
  if (phase == v1::PHASE_MASKED)
    change<MaskedMessage>(message, [](MaskedMessage& all) {
      for (std::size_t n = 0; n + 1 < all.values.size(); ++n) all.values[n] ^= std::byte{0x5a};
    });
}
std::vector<std::uint32_t> everyone(bool with_liar) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t n = 0; n < crowd; ++n)
    if (with_liar || n != liar) all.push_back(n);
  return all;
}

TEST(Conduct, WrongSharesSpoilNothingAndKeepTheirSenderOut) {
  World world(secure_config(crowd), crowd);
  ASSERT_TRUE(play(world, wrong_shares));
  ASSERT_TRUE(play(world, honest));
  EXPECT_EQ(world.newest().contributions, crowd - 1);
  // The liar's own input was one: the first sum is of all, the second of the others.
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), {everyone(true), everyone(false)}));
  EXPECT_EQ(device(world, liar)["secure_sums"]["named"], 1);
  EXPECT_TRUE(kept_out(world, liar));
  for (const std::uint32_t other : everyone(false))
    EXPECT_FALSE(device(world, other).contains("secure_sums")) << other;
  EXPECT_NE(world.own->metrics().find("sotto_sum_members_named_total 1\n"), std::string::npos);
  EXPECT_NE(world.own->metrics().find("sotto_devices_kept_out 1\n"), std::string::npos);
  EXPECT_TRUE(world.log.has("did not keep to it"));
  EXPECT_FALSE(world.log.has(device(world, liar)["device"].get<std::string>()));
  world.now += CoordinatorOptions{}.keep_out_ms;
  EXPECT_FALSE(kept_out(world, liar));
  EXPECT_TRUE(world.check_in(liar).has_assignment());
}

TEST(Conduct, AfterAFailedSumTheRoundIsTriedAgainWithoutTheLiar) {
  World world(secure_config(crowd), crowd);
  std::vector<RowMatrix> before;
  for (const WorldDevice& one : world.devices) before.push_back(one.own);
  EXPECT_FALSE(play(world, forged_letters));
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  for (const std::uint32_t other : everyone(false)) world.devices[other].own = before[other];
  EXPECT_TRUE(play(world, honest));
  EXPECT_EQ(world.newest().contributions, crowd - 1);
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), {everyone(false)}, 1));
  EXPECT_TRUE(kept_out(world, liar));
}

// Nobody can say whose input was none; that it happens again and again with one device does.
TEST(Conduct, WhoeverSpoilsEverySumIsSoonKeptOut) {
  World world(secure_config(crowd), crowd);
  EXPECT_FALSE(play(world, nonsense_input));
  std::uint32_t committed = 0, rounds = 0;
  for (; !kept_out(world, liar) && rounds < 60; ++rounds)
    if (play(world, nonsense_input)) ++committed;
  EXPECT_TRUE(kept_out(world, liar));
  EXPECT_GT(committed, 0u);
  for (const std::uint32_t other : everyone(false)) EXPECT_FALSE(kept_out(world, other)) << other;
  EXPECT_TRUE(play(world, honest));
}

// A liar that cannot be named, as it lies to no more than may be corrupt, and to the same in every sum: it
// pays for each of them, and they stay.
TEST(Conduct, ALiarPaysForEachOfItsVictims) {
  TaskConfig config = secure_config(crowd);
  config.spec.mutable_assumed()->set_corrupt(0.25);
  World world(config, crowd);
  const auto lies_to_two = [](v1::Phase phase, std::string& message) {
    if (phase == v1::PHASE_LETTERS)
      change<LettersMessage>(message, [](LettersMessage& all) {
        for (Letter& letter : all.letters)
          if (letter.device == 6 || letter.device == 9) letter.sealed[3] ^= 1;
      });
  };
  EXPECT_TRUE(play(world, lies_to_two));
  EXPECT_EQ(device(world, liar)["secure_sums"]["named"], 0);
  EXPECT_EQ(device(world, liar)["secure_sums"]["disputes"], 2);
  EXPECT_EQ(device(world, 6)["secure_sums"]["disputes"], 1);
  for (int sum = 0; sum < 4; ++sum) EXPECT_TRUE(play(world, lies_to_two));
  EXPECT_TRUE(kept_out(world, liar));
  for (const std::uint32_t other : everyone(false)) EXPECT_FALSE(kept_out(world, other)) << other;
  EXPECT_EQ(world.newest().contributions, crowd - 1);
}

// What is found out about a device in one task, and what the tests below say about it.
struct Judged {
  Conduct conduct;
  std::int64_t now = 10;
  std::size_t most_on_doubt = 1;

  Judged() { conduct.set_keep_out(1'000); }
  void dispute(std::vector<Conduct::Disputant> between) {
    Conduct::Findings found;
    found.suspected = std::move(between);
    conduct.note(found, now);
  }
  void doubt(const std::string& task, std::vector<DeviceId> all) {
    Conduct::Findings found;
    found.task = task;
    found.doubted = std::move(all);
    found.most_on_doubt = most_on_doubt;
    conduct.note(found, now);
  }
  void clear(const std::string& task, std::vector<DeviceId> all) {
    Conduct::Findings found;
    found.task = task;
    found.cleared = std::move(all);
    conduct.note(found, now);
  }
  [[nodiscard]] bool is_out(const DeviceId& id) const {
    const Conduct::Record* one = conduct.find(id);
    return one != nullptr && conduct.is_kept_out(*one, now);
  }
  // Of so many rounds.
  [[nodiscard]] std::uint32_t joined(const std::string& task, const DeviceId& id, std::uint32_t of) const {
    std::uint32_t count = 0;
    for (std::uint32_t round = 0; round < of; ++round)
      count += conduct.may_join(task, id, round, now) ? 1 : 0;
    return count;
  }
};

TEST(Conduct, ADisputeWeighsOnBothAlike) {
  Judged judged;
  Conduct& conduct = judged.conduct;
  const DeviceId one{1}, other{2}, third{3};
  judged.dispute({{one, 1}, {other, 1}});
  judged.dispute({{one, 1}, {third, 1}});
  EXPECT_FALSE(judged.is_out(one));
  judged.now = 30;
  judged.clear("a", {one});
  judged.dispute({{one, 1}, {third, 1}});
  EXPECT_FALSE(conduct.may_join("a", one, 0, 30));
  EXPECT_FALSE(judged.is_out(other) || judged.is_out(third));
  EXPECT_EQ(conduct.kept_out(30), 1u);
  // All is forgotten in time.
  EXPECT_TRUE(conduct.may_join("a", one, 0, 1'030));
  conduct.note({}, 1'030);
  EXPECT_EQ(conduct.find(one), nullptr);
}

TEST(Conduct, WhoeverGivesWhatNobodyCouldGiveIsKeptOutOfPlainSumsToo) {
  Judged judged;
  Conduct& conduct = judged.conduct;
  const DeviceId one{1}, other{2};
  for (std::uint32_t n = 1; n < Conduct::most_refused; ++n) conduct.note_refused(one, judged.now);
  conduct.note_refused(other, judged.now);
  EXPECT_TRUE(conduct.may_give(one, judged.now)) << "whatever it was, it may have been once";
  conduct.note_refused(one, judged.now);
  EXPECT_EQ(conduct.find(one)->refused, Conduct::most_refused);
  EXPECT_FALSE(conduct.may_give(one, judged.now) || conduct.may_join("a", one, 0, judged.now));
  EXPECT_TRUE(conduct.may_give(other, judged.now));
  EXPECT_TRUE(conduct.may_give(one, judged.now + 1'000));
}

// Doubts and disputes may be of honest ones, and no plain sum can raise them.
TEST(Conduct, WhatSecureSumsShowKeepsNobodyOutOfPlainOnes) {
  Judged judged;
  const DeviceId one{1}, other{2};
  for (std::uint32_t spoilt = 0; spoilt < Conduct::most_doubts; ++spoilt) judged.doubt("a", {one});
  judged.dispute({{other, Conduct::most_disputes}});
  ASSERT_TRUE(judged.is_out(one) && judged.is_out(other));
  EXPECT_TRUE(judged.conduct.may_give(one, judged.now) && judged.conduct.may_give(other, judged.now));
  // And nobody is freed by a doubt who was kept out for lies.
  judged.now += 1'000;
  for (std::uint32_t n = 0; n < Conduct::most_refused; ++n) judged.conduct.note_refused(one, judged.now);
  for (std::uint32_t spoilt = 0; spoilt < Conduct::most_doubts; ++spoilt) judged.doubt("a", {one});
  EXPECT_FALSE(judged.conduct.may_give(one, judged.now));
}

TEST(Conduct, DoubtHalvesTheRoundsUntilASumCommits) {
  Judged judged;
  const DeviceId one{1};
  judged.doubt("a", {one});
  for (std::uint32_t round = 0; round < 40; ++round)
    EXPECT_EQ(judged.conduct.may_join("a", one, round, 10), judged.conduct.may_join("a", one, round, 11))
        << "one coin a round";
  EXPECT_GT(judged.joined("a", one, 400), 140u);
  EXPECT_LT(judged.joined("a", one, 400), 260u);
  judged.clear("a", {one});
  EXPECT_EQ(judged.joined("a", one, 40), 40u);
}

TEST(Conduct, ACommitTakesHalfOfTheDoubtsAway) {
  Judged judged;
  const DeviceId one{1};
  for (int spoilt = 0; spoilt < 5; ++spoilt) judged.doubt("a", {one});
  judged.clear("a", {one});
  EXPECT_EQ(judged.conduct.find(one)->all_doubts(), 3u);
  EXPECT_LT(judged.joined("a", one, 40), 40u);
  for (int spoilt = 0; spoilt < 3; ++spoilt) judged.doubt("a", {one});
  EXPECT_TRUE(judged.is_out(one)) << "it spoilt eight sums of nine";
}

TEST(Conduct, DoubtIsOfOneTask) {
  Judged judged;
  const DeviceId one{1};
  for (int sum = 0; sum < 5; ++sum) {
    judged.doubt("a", {one});
    judged.clear("b", {one});
  }
  EXPECT_LT(judged.joined("a", one, 40), 40u);
  EXPECT_EQ(judged.joined("b", one, 40), 40u);
  judged.doubt("a", {one});
  EXPECT_TRUE(judged.is_out(one));
  EXPECT_EQ(judged.joined("b", one, 40), 0u);
}

TEST(Conduct, OnDoubtNoMoreAreKeptOutThanMayBeCorrupt) {
  Judged judged;
  judged.most_on_doubt = 2;
  const std::vector<DeviceId> all{{1}, {2}, {3}, {4}, {5}};
  for (int sum = 0; sum < 20; ++sum) judged.doubt("a", all);
  EXPECT_EQ(judged.conduct.kept_out(judged.now), 0u) << "they cannot be told apart";
  judged.doubt("a", {all[0], all[1]});
  EXPECT_TRUE(judged.is_out(all[0]) && judged.is_out(all[1]));
  for (int sum = 0; sum < 20; ++sum) judged.doubt("a", {all[2]});
  EXPECT_EQ(judged.conduct.kept_out(judged.now), 2u);
  EXPECT_GT(judged.joined("a", all.back(), 40), 0u);
  // A dispute needs no room among them.
  judged.dispute({{all.back(), 3}});
  EXPECT_EQ(judged.conduct.kept_out(judged.now), 3u);
}

// Every view of it follows the time that holds now.
TEST(Conduct, AShorterTimeLetsThemInAtOnce) {
  Judged judged;
  const DeviceId one{1};
  judged.dispute({{one, 3}});
  judged.now = 200;
  EXPECT_TRUE(judged.is_out(one));
  judged.conduct.set_keep_out(100);
  EXPECT_FALSE(judged.is_out(one));
  EXPECT_EQ(judged.conduct.kept_out(judged.now), 0u);
  EXPECT_TRUE(judged.conduct.may_join("a", one, 0, judged.now));
}

// Who leaves without asking to be forgotten may be let in again, with what is known about it.
TEST(Conduct, LeavingIsNoWayOut) {
  World world(secure_config(crowd), crowd);
  ASSERT_TRUE(play(world, wrong_shares));
  ASSERT_EQ(world.ask(liar, Method::leave, v1::LeaveRequest{}).refusal(), v1::REFUSAL_NONE);
  EXPECT_TRUE(kept_out(world, liar));
}

}  // namespace
}  // namespace sotto::server::conduct_test
