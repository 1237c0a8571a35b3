// For tests: devices in the secure sums of a coordinator, message by message.
#pragma once

#include "server/testing/coordinator_world.h"

namespace sotto::server {

inline TaskConfig secure_config(std::uint32_t goal) {
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

inline std::string text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// One device's way through a secure round.
struct SecureDevice {
  World& world;
  std::uint32_t number;
  v1::Assignment assignment;
  std::vector<std::int32_t> input;
  std::vector<PublicKey> directory;
  std::optional<SumDevice> sum;
  SumOffer offer;
  std::string message;     // the next to send
  std::uint32_t part = 0;  // of the round
  RowMatrix shared;

  SecureDevice(World& its, std::uint32_t device) : SecureDevice(its, device, its.assigned(device)) {}
  SecureDevice(World& its, std::uint32_t device, v1::Assignment given)
      : world(its), number(device), assignment(std::move(given)) {
    shared = world.model(number, assignment);
    (void)world.devices[number].contribution(assignment.round(), shared);
    take_input();
  }
  void take_input() {
    const WorldDevice& own = world.devices[number];
    const TaskShape shape = own.fit.task().part();
    input.assign(shape.sum_numbers(), 0);
    for (std::size_t n = 0; n < own.last.size(); ++n)
      for (std::size_t k = 0; k < shape.sum_width; ++k)
        input[own.last.row(n) * shape.sum_width + k] += own.last.values(n)[k];
  }
  // Hears what the part came to and makes what it gives to the next.
  void next_part() {
    WorldDevice& own = world.devices[number];
    const auto total = read_total(hear(v1::PHASE_REVEAL), own.fit.task().part());
    ASSERT_TRUE(total.ok()) << total.error().message;
    ASSERT_TRUE(own.fit.hear(*total).ok());
    (void)own.contribution(assignment.round(), shared);
    take_input();
    directory.clear();
    ++part;
  }
  // With something else than a contribution to sum.
  SecureDevice(World& its, std::uint32_t device, v1::Assignment given, std::vector<std::int32_t> values)
      : world(its), number(device), assignment(std::move(given)), input(std::move(values)) {}
  v1::Reply send(v1::Phase phase, const std::string& data, bool poll) {
    v1::StepRequest request = World::step_of(assignment, phase, data, part);
    request.set_poll(poll);
    return world.ask(number, Method::step, request);
  }
  bool waits(v1::Phase phase) {
    const bool is_last = part + 1 == world.devices[number].task.parts();
    if (phase == v1::PHASE_REVEAL && is_last) return !world.own->idle();
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
                Secret(simulated_key(9 + part, "entropy", assignment.round(), number)));
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

inline constexpr v1::Phase phases[] = {v1::PHASE_KEYS, v1::PHASE_LETTERS, v1::PHASE_MASKED,
                                       v1::PHASE_AGREEMENT, v1::PHASE_REVEAL};

// A round of those who were assigned; `silent` falls silent before the phase given.
inline void play(World& world, std::deque<SecureDevice>& all, std::optional<std::uint32_t> silent = {},
                 v1::Phase before = v1::PHASE_KEYS, bool commits = true) {
  for (SecureDevice& one : all) one.join();
  for (const v1::Phase phase : phases) {
    for (SecureDevice& one : all) {
      if (silent == one.number && phase >= before) continue;
      const v1::Reply reply = one.send(phase, one.message, false);
      EXPECT_EQ(reply.refusal(), v1::REFUSAL_NONE) << reply.why();
      // The same again changes nothing.
      if (commits || phase != v1::PHASE_REVEAL) {
        EXPECT_EQ(one.send(phase, one.message, false).refusal(), v1::REFUSAL_NONE);
      }
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

inline void play(World& world, std::uint32_t devices, std::optional<std::uint32_t> silent = {},
                 v1::Phase before = v1::PHASE_KEYS) {
  std::deque<SecureDevice> all;
  for (std::uint32_t n = 0; n < devices; ++n) all.emplace_back(world, n);
  play(world, all, silent, before);
}

}  // namespace sotto::server
