// For tests: a member of a round of plain sums, part by part.
#pragma once

#include "fed/models/part_total.h"
#include "server/testing/coordinator_world.h"

namespace sotto::server {

struct PlainMember {
  PlainMember(World& its, std::uint32_t device)
      : world(its), number(device), assignment(its.assigned(device)) {
    shared = world.model(number, assignment);
    message = own().contribution(assignment.round(), shared);
  }
  WorldDevice& own() const { return world.devices[number]; }
  v1::Reply send(std::uint32_t part, bool poll = false) const {
    v1::StepRequest request = World::step_of(assignment, v1::PHASE_CONTRIBUTION, poll ? "" : message, part);
    request.set_poll(poll);
    return world.ask(number, Method::step, request);
  }
  v1::StepReply::Progress give(std::uint32_t part) const { return progress_of(send(part)); }
  static v1::StepReply::Progress progress_of(const v1::Reply& reply) {
    v1::StepReply step;
    EXPECT_TRUE(reply.refusal() == v1::REFUSAL_NONE && step.ParseFromString(reply.body())) << reply.why();
    return step.progress();
  }
  void hear(std::uint32_t part) {
    v1::StepReply step;
    EXPECT_TRUE(step.ParseFromString(send(part, true).body()));
    ASSERT_EQ(step.progress(), v1::StepReply::ANSWER);
    const auto total = read_total(step.data(), own().fit.task().part());
    ASSERT_TRUE(total.ok()) << total.error().message;
    ASSERT_TRUE(own().fit.hear(*total).ok());
    message = own().contribution(assignment.round(), shared);
  }
  World& world;
  std::uint32_t number;
  v1::Assignment assignment;
  std::string message;
  RowMatrix shared;
};

}  // namespace sotto::server
