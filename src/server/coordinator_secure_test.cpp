// Whole secure sums through a coordinator.
#include "server/coordinator_world.h"

namespace sotto {
namespace {

TaskConfig secure_config(std::uint32_t goal) {
  TaskConfig config = world_config(goal);
  config.spec.set_sum(v1::SUM_SECURE);
  v1::SumAssumed& assumed = *config.spec.mutable_assumed();
  assumed.set_corrupt(0.0);
  assumed.set_dropped(0.3);
  assumed.set_leak(0x1p-10);
  assumed.set_abort(0x1p-10);
  assumed.set_crowd(2);
  return config;
}

std::string text(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// One device's way through a secure round.
struct SecureDevice {
  World& world;
  std::uint32_t number;
  v1::Assignment assignment;
  std::vector<std::int32_t> input;
  std::vector<PublicKey> directory;
  std::optional<SumDevice> sum;
  SumOffer offer;
  std::string message;  // the next to send

  SecureDevice(World& its, std::uint32_t device)
      : world(its), number(device), assignment(its.assigned(device)) {
    WorldDevice& own = world.devices[number];
    (void)own.contribution(assignment.round(), world.model(number, assignment));
    const std::size_t width = own.last.width();
    input.assign(own.task.items * width, 0);
    for (std::size_t n = 0; n < own.last.size(); ++n)
      for (std::size_t k = 0; k < width; ++k) input[own.last.row(n) * width + k] += own.last.values(n)[k];
  }
  v1::Reply send(v1::Phase phase, const std::string& data, bool poll) {
    v1::StepRequest request = World::step_of(assignment, phase, data);
    request.set_poll(poll);
    return world.ask(number, Method::step, request);
  }
  bool waits(v1::Phase phase) {
    if (phase == v1::PHASE_REVEAL) return !world.own->idle();
    v1::StepReply step;
    return step.ParseFromString(send(phase, "", true).body()) && step.progress() == v1::StepReply::WAIT;
  }
  // The server's message of a phase that is over.
  std::string hear(v1::Phase phase) {
    const v1::Reply reply = send(phase, "", true);
    v1::StepReply step;
    EXPECT_TRUE(reply.refusal() == v1::REFUSAL_NONE && step.ParseFromString(reply.body())) << reply.why();
    EXPECT_EQ(step.progress(), v1::StepReply::ANSWER);
    return step.data();
  }
  void join() {
    v1::SumStart start;
    ASSERT_TRUE(start.ParseFromString(hear(v1::PHASE_JOIN)));
    for (std::size_t at = 0; at < start.directory().size(); at += 32)
      ASSERT_TRUE(read_key(std::string_view(start.directory()).substr(at, 32), directory.emplace_back()));
    offer = *decode<SumOffer>(bytes(start.offer()));
    sum.emplace(start.place(), world.devices[number].sum_identity, directory, offer.terms,
                Secret(simulated_key(9, "entropy", assignment.round(), number)));
    message = text(encode(*sum->join(offer)));
  }
  void answer(v1::Phase phase) {
    const std::string heard = hear(phase);
    if (phase == v1::PHASE_KEYS) {
      message = text(encode(*sum->receive(*decode<NeighbourKeysMessage>(bytes(heard)))));
    } else if (phase == v1::PHASE_LETTERS) {
      message = text(encode(*sum->receive(*decode<LettersMessage>(bytes(heard)), input)));
    } else if (phase == v1::PHASE_MASKED) {
      const auto signed_set = *sum->receive(*decode<SurvivorsMessage>(bytes(heard)));
      message = signed_set ? text(encode(*signed_set)) : "";
    } else {
      message = text(encode(*sum->receive(*decode<CertificateMessage>(bytes(heard)))));
    }
  }
};

constexpr v1::Phase phases[] = {v1::PHASE_KEYS, v1::PHASE_LETTERS, v1::PHASE_MASKED, v1::PHASE_AGREEMENT,
                                v1::PHASE_REVEAL};

// A round; `silent` falls silent before the phase given.
void play(World& world, std::uint32_t devices, std::optional<std::uint32_t> silent = {},
          v1::Phase before = v1::PHASE_KEYS) {
  std::deque<SecureDevice> all;
  for (std::uint32_t n = 0; n < devices; ++n) all.emplace_back(world, n);
  for (SecureDevice& one : all) one.join();
  for (const v1::Phase phase : phases) {
    for (SecureDevice& one : all) {
      if (silent == one.number && phase >= before) continue;
      const v1::Reply reply = one.send(phase, one.message, false);
      EXPECT_EQ(reply.refusal(), v1::REFUSAL_NONE) << reply.why();
      // The same again changes nothing.
      EXPECT_EQ(one.send(phase, one.message, false).refusal(), v1::REFUSAL_NONE);
    }
    // Where somebody is still expected, the phase waits for its time.
    if (silent && all.front().waits(phase)) {
      world.now += 1'000;
      world.own->tick(world.now);
    }
    if (phase == v1::PHASE_REVEAL) break;
    for (SecureDevice& one : all)
      if (!(silent == one.number && phase >= before)) one.answer(phase);
  }
}

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
}  // namespace sotto
