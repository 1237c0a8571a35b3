// Members that spoil secure sums: what becomes of their rounds, of the others and of themselves.
#include "server/conduct.h"

#include <functional>

#include "server/secure_world.h"

namespace sotto {
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

TEST(Conduct, ADisputeWeighsOnBothAlike) {
  Conduct conduct;
  conduct.set_keep_out(1'000);
  const DeviceId one{1}, other{2}, third{3};
  conduct.note({.named = {}, .suspected = {one, other}, .doubted = {}, .cleared = {}}, 10);
  conduct.note({.named = {}, .suspected = {one, third}, .doubted = {}, .cleared = {}}, 20);
  EXPECT_TRUE(conduct.may_join(one, 0, 20));
  conduct.note({.named = {}, .suspected = {one, third}, .doubted = {}, .cleared = {one}}, 30);
  EXPECT_FALSE(conduct.may_join(one, 0, 30));
  EXPECT_TRUE(conduct.may_join(other, 0, 30) && conduct.may_join(third, 0, 30));
  EXPECT_EQ(conduct.kept_out(30), 1u);
  // All is forgotten in time.
  EXPECT_TRUE(conduct.may_join(one, 0, 1'030));
  conduct.note({}, 1'030);
  EXPECT_EQ(conduct.find(one), nullptr);
}

TEST(Conduct, DoubtHalvesTheRoundsUntilASumCommits) {
  Conduct conduct;
  conduct.set_keep_out(1'000);
  const DeviceId one{1};
  conduct.note({.named = {}, .suspected = {}, .doubted = {one}, .cleared = {}}, 10);
  int joined = 0;
  for (std::uint32_t round = 0; round < 400; ++round) {
    joined += conduct.may_join(one, round, 10) ? 1 : 0;
    EXPECT_EQ(conduct.may_join(one, round, 10), conduct.may_join(one, round, 11)) << "one coin a round";
  }
  EXPECT_GT(joined, 140);
  EXPECT_LT(joined, 260);
  conduct.note({.named = {}, .suspected = {}, .doubted = {}, .cleared = {one}}, 20);
  for (std::uint32_t round = 0; round < 40; ++round) EXPECT_TRUE(conduct.may_join(one, round, 20));
}

}  // namespace
}  // namespace sotto
