// Rounds of several parts under a secure sum, with a member that ends them.
#include <gtest/gtest.h>

#include <functional>

#include "server/testing/parts_world.h"

namespace sotto::server::coordinator_spoilt_parts_test {
namespace {

constexpr std::uint32_t cohort = 12, liar = 3;

// What a member does in a phase of a part; whether it says anything in it.
using Behaviour = std::function<bool(std::uint32_t part, v1::Phase phase, SecureDevice& member)>;

// A secure round of all that are let in. Whether it was committed.
bool commits(World& world, const Behaviour& behaves) {
  const std::uint32_t before = world.newest().number;
  std::deque<SecureDevice> all;
  for (std::uint32_t n = 0; n < cohort; ++n)
    if (const v1::CheckInReply reply = world.check_in(n); reply.has_assignment()) {
      world.devices[n].forget_totals();
      all.emplace_back(world, n, reply.assignment());
    }
  if (all.size() < cohort) world.own->tick(world.now += 1'000);  // nobody else comes
  if (all.empty() || all.front().waits(v1::PHASE_JOIN)) {        // too few for the terms
    world.own->tick(world.now += 10'000);
    return false;
  }
  std::vector<SecureDevice*> there;
  for (SecureDevice& one : all) there.push_back(&one);
  for (const std::uint32_t part : {0u, 1u}) {
    for (SecureDevice* one : there) {
      if (part == 1) one->next_part();
      one->join();
    }
    for (const v1::Phase phase : phases) {
      std::erase_if(there, [&](SecureDevice* one) { return !behaves(part, phase, *one); });
      for (SecureDevice* one : there) (void)one->send(phase, one->message, false);
      if (there.front()->waits(phase)) world.own->tick(world.now += 1'000);
      if (world.last_round().state == RoundState::abandoned) return false;
      if (phase == v1::PHASE_REVEAL) break;
      for (SecureDevice* one : there) one->answer(phase);
    }
  }
  return world.newest().number > before;
}

TaskConfig cohort_config() {
  TaskConfig config = parts_config(fedease_task, true);
  config.rules.goal = cohort;
  return config;
}

nlohmann::json sums_of(World& world, std::uint32_t number) {
  for (const auto& one : nlohmann::json::parse(*world.own->ask("devices", "", world.now)))
    if (one["index"] == number) return one.value("secure_sums", nlohmann::json::object());
  return {};
}

// Whatever one does again and again to end rounds after their first part, rounds are committed without it,
// and it is soon kept out, alone.
void expect_kept_out(const Behaviour& behaves) {
  World world(cohort_config(), cohort);
  EXPECT_FALSE(commits(world, behaves));
  std::uint32_t committed = 0;
  for (int round = 0; round < 100 && !sums_of(world, liar).value("kept_out", false); ++round)
    if (commits(world, behaves)) ++committed;
  EXPECT_GT(committed, 0u);
  for (std::uint32_t n = 0; n < cohort; ++n)
    EXPECT_EQ(sums_of(world, n).value("kept_out", false), n == liar) << n;
}

TEST(SpoiltPartsOfARound, AreEndedByNobodyForEverWhoFallsSilentBetween) {
  expect_kept_out(
      [](std::uint32_t part, v1::Phase, SecureDevice& one) { return one.number != liar || part == 0; });
}

TEST(SpoiltPartsOfARound, AreEndedByNobodyForEverWhoSpoilsALaterOne) {
  expect_kept_out([](std::uint32_t part, v1::Phase phase, SecureDevice& one) {
    if (one.number == liar && part == 1 && phase == v1::PHASE_MASKED) {
      MaskedMessage spoilt = *decode<MaskedMessage>(bytes(one.message));
      for (std::size_t n = 0; n + 1 < spoilt.values.size(); ++n) spoilt.values[n] ^= std::byte{0x5a};
      one.message = text(encode(spoilt));
    }
    return true;
  });
}

TEST(SpoiltPartsOfARound, AreEndedByNobodyForEverWhoGivesWhatNobodyCounts) {
  expect_kept_out([](std::uint32_t part, v1::Phase phase, SecureDevice& one) {
    if (one.number == liar && part == 0 && phase == v1::PHASE_KEYS)
      one.input.back() = -1;  // behind the items: nobody else has anything there
    return true;
  });
}

// A liar is named by the first part, and then too few are left for a second: it stays the one who was named.
TEST(SpoiltPartsOfARound, NameNobodyElseWhereTooFewAreLeftForTheNext) {
  TaskConfig config = cohort_config();
  v1::SumAssumed& assumed = *config.spec.mutable_assumed();
  const auto holds = [&](std::uint32_t devices) {
    return sum_terms(devices, read_task(config.spec)->assumed).ok();
  };
  while (holds(cohort - 1)) assumed.set_crowd(assumed.crowd() + 1);
  ASSERT_TRUE(holds(cohort));
  World world(config, cohort);
  EXPECT_FALSE(commits(world, [](std::uint32_t, v1::Phase phase, SecureDevice& one) {
    if (one.number == liar && phase == v1::PHASE_REVEAL) {
      RevealMessage lie = *decode<RevealMessage>(bytes(one.message));
      for (RevealedShare& share : lie.shares) share.share.limbs[1] = field_add(share.share.limbs[1], 5);
      one.message = text(encode(lie));
    }
    return one.number != 0 || phase < v1::PHASE_MASKED;
  }));
  for (std::uint32_t n = 0; n < cohort; ++n)
    EXPECT_EQ(sums_of(world, n).value("named", 0), n == liar ? 1 : 0) << n;
}

}  // namespace
}  // namespace sotto::server::coordinator_spoilt_parts_test
