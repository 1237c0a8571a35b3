// Whole secure sums through a coordinator.
#include "server/testing/secure_world.h"

namespace sotto::server::coordinator_secure_test {
namespace {

TEST(SecureCoordinator, TrainsThePlainSums) {
  const TaskConfig config = secure_config(6);
  ASSERT_TRUE(check(config).ok()) << check(config).error().message;
  World world(config, 6);
  play(world, 6);
  play(world, 6);
  EXPECT_EQ(world.newest().number, 2u);
  EXPECT_EQ(world.newest().contributions, 6u);
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), {{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}}));
}

TEST(SecureCoordinator, SumsThoseWhoStay) {
  for (const v1::Phase before : phases) {
    World world(secure_config(6), 6);
    play(world, 6, 2, before);
    EXPECT_EQ(world.newest().number, 1u) << before;
    const bool in_sum = before > v1::PHASE_MASKED;
    EXPECT_EQ(world.newest().contributions, in_sum ? 6u : 5u);
    EXPECT_EQ(world.newest().model_hash,
              by_hand(world_spec(), {in_sum ? std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}
                                            : std::vector<std::uint32_t>{0, 1, 3, 4, 5}}));
  }
}

TEST(SecureCoordinator, RefusesWhatDoesNotFitThePhase) {
  World world(secure_config(6), 6);
  SecureDevice first(world, 0);
  EXPECT_EQ(first.send(v1::PHASE_KEYS, "x", false).refusal(), v1::REFUSAL_OUT_OF_ORDER);  // nobody else yet
  std::deque<SecureDevice> others;
  for (std::uint32_t n = 1; n < 6; ++n) others.emplace_back(world, n);
  first.join();
  EXPECT_EQ(first.send(v1::PHASE_KEYS, "x", false).refusal(), v1::REFUSAL_BAD_MESSAGE);
  EXPECT_EQ(first.send(v1::PHASE_LETTERS, "x", false).refusal(), v1::REFUSAL_OUT_OF_ORDER);
  EXPECT_EQ(first.send(v1::PHASE_CONTRIBUTION, "x", false).refusal(), v1::REFUSAL_OUT_OF_ORDER);
  others[0].join();
  EXPECT_EQ(first.send(v1::PHASE_KEYS, others[0].message, false).refusal(), v1::REFUSAL_BAD_VALUE);
  EXPECT_EQ(first.send(v1::PHASE_KEYS, first.message, false).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(first.send(v1::PHASE_KEYS, others[0].message, false).refusal(), v1::REFUSAL_DUPLICATE);
  // Nobody else speaks: the round is given up, and its numbers are not used again.
  world.now += 1'000;
  world.own->tick(world.now);
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  EXPECT_EQ(first.send(v1::PHASE_KEYS, first.message, false).refusal(), v1::REFUSAL_ROUND_FAILED);
  EXPECT_EQ(world.newest().number, 0u);
  EXPECT_EQ(world.assigned(0).round(), 1u);
}

}  // namespace
}  // namespace sotto::server::coordinator_secure_test
