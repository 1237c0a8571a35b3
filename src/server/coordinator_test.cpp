#include "server/coordinator.h"

#include "server/testing/coordinator_world.h"

namespace sotto::server::coordinator_test {
namespace {

v1::Refusal refusal_of(const v1::Reply& reply) { return reply.refusal(); }

TEST(Coordinator, TrainsWhatTheSumsByHandGive) {
  World world(world_config(3, 4), 3);
  for (int round = 0; round < 4; ++round)
    for (std::uint32_t device = 0; device < 3; ++device) world.exchange((device + 1) % 3);
  EXPECT_EQ(world.newest().number, 4u);
  EXPECT_EQ(world.newest().contributions, 3u);
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}}));
  EXPECT_EQ(world.status("state"), "finished");
  EXPECT_FALSE(world.check_in(0).has_assignment());
  EXPECT_TRUE(world.own->idle());
}

TEST(Coordinator, SendsHalvesAndDeltasAndSumsIntoTheMaster) {
  TaskConfig config = world_config(2);
  config.spec.set_down(v1::PRECISION_F16);
  config.spec.set_items(400);
  World world(config, 2);
  bool by_delta = false;
  for (int round = 0; round < 3; ++round)
    for (std::uint32_t device = 0; device < 2; ++device) {
      const v1::Assignment assignment = world.assigned(device);
      by_delta = by_delta || assignment.has_delta();
      const RowMatrix shared = world.model(device, assignment);
      world.give(device, assignment, world.devices[device].contribution(assignment.round(), shared));
    }
  EXPECT_TRUE(by_delta);
  EXPECT_EQ(world.newest().model_hash, by_hand(config.spec, {{0, 1}, {0, 1}, {0, 1}}));
}

TEST(Coordinator, RefusesAtTheDoorByCode) {
  World world(world_config(2), 2);
  const v1::CheckInRequest empty;
  const auto change = [&](auto edit) {
    v1::SignedRequest request = world.sign(0, Method::check_in, empty.SerializeAsString());
    edit(request);
    return refusal_of(world.call(Method::check_in, request.SerializeAsString()));
  };
  EXPECT_EQ(refusal_of(world.call(Method::check_in, "\xff\xff")), v1::REFUSAL_BAD_MESSAGE);
  EXPECT_EQ(change([](auto& r) { r.set_version(9); }), v1::REFUSAL_WRONG_VERSION);
  EXPECT_EQ(change([](auto& r) { r.set_device(std::string(16, 'x')); }), v1::REFUSAL_UNKNOWN_DEVICE);
  EXPECT_EQ(change([](auto& r) { r.set_device("short"); }), v1::REFUSAL_BAD_MESSAGE);
  EXPECT_EQ(change([](auto& r) { r.set_nonce(r.nonce() + 1); }), v1::REFUSAL_BAD_SIGNATURE);
  EXPECT_EQ(refusal_of(world.call(Method::check_in, std::string(most_message_bytes + 1, 'x'))),
            v1::REFUSAL_TOO_LARGE);
  // Signed for one method, sent to another.
  EXPECT_EQ(refusal_of(world.call(Method::leave, world.sign(0, Method::check_in, "").SerializeAsString())),
            v1::REFUSAL_BAD_SIGNATURE);
  const std::string request = world.sign(0, Method::check_in, "").SerializeAsString();
  EXPECT_EQ(refusal_of(world.call(Method::check_in, request)), v1::REFUSAL_NONE);
  EXPECT_EQ(refusal_of(world.call(Method::check_in, request)), v1::REFUSAL_REPLAY);
  const std::string old = world.sign(0, Method::check_in, "").SerializeAsString();
  world.now += 300'001;
  const v1::Reply off = world.call(Method::check_in, old);
  EXPECT_EQ(refusal_of(off), v1::REFUSAL_CLOCK);
  EXPECT_EQ(off.server_time_ms(), static_cast<std::uint64_t>(world.now));
  EXPECT_TRUE(world.log.has("REFUSAL_CLOCK"));
  EXPECT_NE(world.own->metrics().find("sotto_refusals_total{reason=\"REFUSAL_REPLAY\"} 1"),
            std::string::npos);
}

TEST(Coordinator, ATokenEnrolsOnce) {
  World world(world_config(2), 1);
  const Identity other(Secret(simulated_key(5, "other")));
  const auto enrol = [&](const v1::EnrolRequest& request) {
    return refusal_of(world.call(Method::enrol, request.SerializeAsString()));
  };
  EXPECT_EQ(enrol(sign_enrolment(world.token, other)), v1::REFUSAL_BAD_TOKEN);
  EXPECT_EQ(enrol(sign_enrolment("no such", other)), v1::REFUSAL_BAD_TOKEN);
  EXPECT_EQ(enrol(sign_enrolment(world.token, world.devices[0].identity)), v1::REFUSAL_NONE);  // lost reply
  v1::EnrolRequest forged = sign_enrolment(world.token, other);
  forged.set_public_key(text_of(world.devices[0].identity.open()));
  EXPECT_EQ(enrol(forged), v1::REFUSAL_BAD_SIGNATURE);
}

// A contribution with one row, made by hand.
std::string one_row(const v1::Assignment& to, std::uint32_t row, std::int32_t value) {
  Contribution made(to.task().factors() + 1);
  const ConsentPolicy open;
  ContributionPipeline pipeline(ConsentGate(open, 1, 0, UserIndex{0}), FixedPoint{}, made);
  *pipeline.open(Evidence::negative, row) = value;
  return pack_contribution({.round = to.round(), .contribution = made});
}

TEST(Coordinator, RefusesStepsByCode) {
  World world(world_config(2), 3);
  const v1::Assignment first = world.assigned(0), second = world.assigned(1);
  EXPECT_NE(first.token(), second.token());
  EXPECT_EQ(world.check_in(2).has_assignment(), false);  // the round is full
  EXPECT_EQ(world.assigned(0).token(), first.token());   // asked again: the same
  const std::string good = world.devices[0].contribution(first.round(), world.model(0, first));
  const auto step = [&](std::uint32_t device, const v1::Assignment& to, std::string message) {
    return refusal_of(world.give(device, to, message));
  };
  v1::Assignment unknown = first;
  unknown.set_token(std::string(16, 'x'));
  EXPECT_EQ(step(0, unknown, good), v1::REFUSAL_NOT_ASSIGNED);
  EXPECT_EQ(step(1, first, good), v1::REFUSAL_NOT_ASSIGNED);  // somebody else's
  EXPECT_EQ(step(0, first, "nonsense"), v1::REFUSAL_BAD_MESSAGE);
  EXPECT_EQ(step(0, first, std::string(5000, 'x')), v1::REFUSAL_TOO_LARGE);
  std::string other = good;
  other[8] ^= 1;  // the round
  EXPECT_EQ(step(0, first, other), v1::REFUSAL_WRONG_SHAPE);
  other = good;
  other[16] ^= 1;  // the width
  EXPECT_EQ(step(0, first, other), v1::REFUSAL_WRONG_SHAPE);
  EXPECT_EQ(step(0, first, one_row(first, 1u << 20, 5)), v1::REFUSAL_WRONG_SHAPE);
  EXPECT_EQ(step(0, first, one_row(first, 1, fixed_limit + 1)), v1::REFUSAL_BAD_VALUE);
  EXPECT_EQ(step(0, first, good.substr(0, good.size() / 2)), v1::REFUSAL_BAD_VALUE);
  EXPECT_EQ(refusal_of(world.ask(0, Method::step, World::step_of(first, v1::PHASE_KEYS, "x"))),
            v1::REFUSAL_OUT_OF_ORDER);
  // None of it left a trace: the round is the one by hand.
  EXPECT_EQ(step(0, first, good), v1::REFUSAL_NONE);
  EXPECT_EQ(step(0, first, good), v1::REFUSAL_NONE);  // the same again
  other = one_row(first, 1, 5);
  EXPECT_EQ(step(0, first, other), v1::REFUSAL_DUPLICATE);
  EXPECT_FALSE(world.check_in(0).has_assignment());  // not asked twice
  world.exchange(1);
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), {{0, 1}}));
  EXPECT_EQ(step(0, first, good), v1::REFUSAL_NONE);  // still the same reply
  EXPECT_EQ(step(0, first, other), v1::REFUSAL_DUPLICATE);
}

TEST(Coordinator, TakesLongMessagesInPieces) {
  World world(world_config(2), 2);
  const v1::Assignment to = world.assigned(0);
  const std::string good = world.devices[0].contribution(to.round(), world.model(0, to));
  const auto piece = [&](std::size_t offset, std::size_t size) {
    v1::StepRequest request = World::step_of(to, v1::PHASE_CONTRIBUTION, good.substr(offset, size));
    request.set_offset(offset);
    request.set_total(good.size());
    v1::StepReply reply;
    EXPECT_TRUE(reply.ParseFromString(world.ask(0, Method::step, request).body()));
    return reply;
  };
  EXPECT_EQ(piece(0, 40).next_offset(), 40u);
  EXPECT_EQ(piece(60, 20).next_offset(), 40u);  // one was lost
  EXPECT_EQ(piece(40, 20).next_offset(), 60u);
  EXPECT_NE(world.own->metrics().find("sotto_upload_bytes 60"), std::string::npos);
  EXPECT_EQ(piece(60, good.size()).progress(), v1::StepReply::TAKEN);
  EXPECT_NE(world.own->metrics().find("sotto_upload_bytes 0"), std::string::npos);
  world.exchange(1);
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), {{0, 1}}));
}

TEST(Coordinator, ClosesAtTheDeadlineWithAQuorumAndNotWithout) {
  World world(world_config(4), 4);
  for (std::uint32_t device = 0; device < 4; ++device) (void)world.assigned(device);
  world.exchange(0);
  const v1::Assignment late = world.assigned(3);
  const std::string message = world.devices[3].contribution(late.round(), world.model(3, late));
  world.now += 10'000;
  world.own->tick(world.now);
  EXPECT_EQ(world.newest().number, 0u);
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  EXPECT_EQ(refusal_of(world.give(3, late, message)), v1::REFUSAL_ROUND_FAILED);

  for (std::uint32_t device = 0; device < 4; ++device) EXPECT_EQ(world.assigned(device).round(), 1u);
  const v1::Assignment next = world.assigned(3);
  const std::string again = world.devices[3].contribution(next.round(), world.model(3, next));
  world.exchange(1);
  world.exchange(2);
  world.now += 10'000;
  world.own->tick(world.now);
  EXPECT_EQ(world.newest().number, 1u);
  EXPECT_EQ(world.newest().contributions, 2u);
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), {{1, 2}}, 1));
  EXPECT_EQ(refusal_of(world.give(3, next, again)), v1::REFUSAL_TOO_LATE);
}

TEST(Coordinator, AssignsMoreThanItNeedsAndTakesTheFirst) {
  TaskConfig config = world_config(2);
  config.rules.over_selection = 1.5;
  World world(config, 4);
  const v1::Assignment third = world.assigned(2);
  world.exchange(0);
  world.exchange(1);
  EXPECT_EQ(world.newest().number, 1u);
  EXPECT_EQ(refusal_of(world.give(2, third, world.devices[2].contribution(0, world.model(2, third)))),
            v1::REFUSAL_TOO_LATE);
}

TEST(Coordinator, StartsWithAQuorumWhenNobodyElseComes) {
  World world(world_config(4), 2);
  world.exchange(0);
  world.exchange(1);
  EXPECT_EQ(world.newest().number, 0u);
  world.now += 1'000;
  world.own->tick(world.now);
  EXPECT_EQ(world.newest().number, 1u);
}

TEST(Coordinator, GoesOnAfterARestart) {
  World world(world_config(2), 2);
  world.exchange(0);
  world.exchange(1);
  const std::string replayed = world.sign(0, Method::check_in, "").SerializeAsString();
  const v1::Assignment lost = world.assigned(0);
  world.now += 10;
  world.restart();
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  // Signed before the start: whether it was heard before is forgotten, so it is not taken.
  EXPECT_EQ(refusal_of(world.call(Method::check_in, replayed)), v1::REFUSAL_CLOCK);
  world.now += 10;
  const v1::Reply forgotten = world.give(0, lost, "");
  EXPECT_EQ(forgotten.refusal(), v1::REFUSAL_NOT_ASSIGNED);
  // It is told to ask again in the usual time, as a device without work is.
  EXPECT_GE(forgotten.retry_after_ms(), CoordinatorOptions().retry_min_ms);
  EXPECT_LE(forgotten.retry_after_ms(), CoordinatorOptions().retry_max_ms);
  EXPECT_EQ(world.assigned(0).round(), 2u);
  world.exchange(0);
  world.exchange(1);
  EXPECT_EQ(world.newest().number, 2u);
}

TEST(Coordinator, ATaskNeverChangesUnderItsName) {
  World world(world_config(2), 2);
  TaskConfig other = world_config(2);
  other.spec.set_seed(8);
  const auto opened = Coordinator::open(world.store, {}, {other}, world.log, world.now);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("choose a new name"), std::string::npos);
  EXPECT_FALSE(Coordinator::open(world.store, {}, {world_config(2)}, world.log, world.now - 400'000).ok());
}

TEST(Coordinator, AFullDiskLosesARoundAndNothingElse) {
  for (int writes = 0; writes < 4; ++writes) {
    World world(world_config(2), 2);
    const v1::Assignment first = world.assigned(0), second = world.assigned(1);
    const std::string a = world.devices[0].contribution(0, world.model(0, first));
    const std::string b = world.devices[1].contribution(0, world.model(1, second));
    world.give(0, first, a);
    world.store.writes_left = writes;
    world.give(1, second, b);
    world.store.writes_left = -1;
    // Two writes commit; with fewer the version is the old one.
    EXPECT_EQ(world.newest().number, writes < 2 ? 0u : 1u);
    EXPECT_EQ(refusal_of(world.give(0, first, a)), writes < 2 ? v1::REFUSAL_ROUND_FAILED : v1::REFUSAL_NONE);
    world.exchange(0);
    world.exchange(1);
    EXPECT_EQ(world.newest().number, writes < 2 ? 1u : 2u);
  }
}

TEST(Coordinator, StopsWithWhatSuffices) {
  World world(world_config(3), 3);
  for (std::uint32_t device = 0; device < 3; ++device) (void)world.assigned(device);
  world.exchange(0);
  world.exchange(1);
  world.own->stop();
  EXPECT_TRUE(world.own->idle());
  EXPECT_EQ(world.newest().number, 1u);
  EXPECT_EQ(refusal_of(world.ask(0, Method::check_in, v1::CheckInRequest{})), v1::REFUSAL_STOPPING);
}

TEST(Coordinator, DevicesLeaveAndAreRevoked) {
  World world(world_config(2), 3);
  v1::LeaveRequest leave;
  leave.set_forget(true);
  EXPECT_EQ(refusal_of(world.ask(0, Method::leave, leave)), v1::REFUSAL_NONE);
  EXPECT_EQ(refusal_of(world.ask(0, Method::leave, leave)), v1::REFUSAL_UNKNOWN_DEVICE);
  EXPECT_EQ(refusal_of(world.ask(1, Method::leave, v1::LeaveRequest{})), v1::REFUSAL_NONE);
  EXPECT_EQ(refusal_of(world.ask(1, Method::leave, leave)), v1::REFUSAL_REVOKED);
  const auto all = nlohmann::json::parse(*world.own->ask("devices", "", world.now));
  ASSERT_EQ(all.size(), 2u);
  const auto last = std::find_if(all.begin(), all.end(), [](const auto& one) { return one["index"] == 2; });
  const std::string third = nlohmann::json{{"device", (*last)["device"]}}.dump();
  EXPECT_TRUE(world.own->ask("revoke", third, world.now).ok());
  EXPECT_EQ(refusal_of(world.ask(2, Method::check_in, v1::CheckInRequest{})), v1::REFUSAL_REVOKED);
  EXPECT_TRUE(world.own->ask("unrevoke", third, world.now).ok());
  EXPECT_EQ(refusal_of(world.ask(2, Method::check_in, v1::CheckInRequest{})), v1::REFUSAL_NONE);
  world.restart();
  EXPECT_EQ(refusal_of(world.ask(2, Method::check_in, v1::CheckInRequest{})), v1::REFUSAL_NONE);
  for (const char* command : {"revoke", "unrevoke"})
    EXPECT_FALSE(world.own->ask(command, R"({"device":"00"})", world.now).ok());
}

TEST(Coordinator, AnswersTheOperator) {
  World world(world_config(2), 2);
  world.exchange(0);
  world.exchange(1);
  const auto ask = [&](const char* command, const char* json) {
    return nlohmann::json::parse(*world.own->ask(command, json, world.now));
  };
  EXPECT_EQ(ask("status", "")["devices"], 2);
  EXPECT_EQ(ask("rounds", R"({"task":"small"})")[0]["state"], "committed");
  EXPECT_EQ(ask("versions", "").size(), 2u);
  EXPECT_EQ(ask("export", "")["model_hash"], world.newest().model_hash);
  EXPECT_EQ(ask("export", R"({"version":0})")["version"], 0);
  EXPECT_EQ(ask("pause", "")["state"], "paused");
  EXPECT_FALSE(world.check_in(0).has_assignment());
  EXPECT_EQ(ask("resume", "")["state"], "running");
  EXPECT_TRUE(world.check_in(0).has_assignment());
  EXPECT_FALSE(world.own->ask("dance", "", world.now).ok());
  EXPECT_FALSE(world.own->ask("rounds", "[", world.now).ok());
  EXPECT_FALSE(world.own->ask("tokens", R"({"count":"x"})", world.now).ok());
}

TEST(Coordinator, ReloadsLimitsAndNothingThatIsComputed) {
  World world(world_config(2), 3);
  TaskConfig wider = world_config(3);
  EXPECT_TRUE(world.own->reload({}, {wider}).ok());
  for (std::uint32_t device = 0; device < 3; ++device) world.exchange(device);
  EXPECT_EQ(world.newest().contributions, 3u);
  wider.spec.set_learning_rate(0.5f);
  const Status refused = world.own->reload({}, {wider});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("what can be reloaded is goal, quorum"), std::string::npos)
      << refused.error().message;
  EXPECT_FALSE(world.own->reload({.retry_min_ms = 0}, {}).ok());
}

TEST(Coordinator, ATaskThatIsNewBeginsWithTheReload) {
  World world(world_config(2), 2);
  TaskConfig other = world_config(2), broken = world_config(2);
  other.spec.set_name("other");
  broken.spec.set_name("broken");
  broken.catalogue = "one name\n";
  const auto names = [&] {
    std::string all;
    for (const auto& task : nlohmann::json::parse(*world.own->ask("tasks", "", world.now)))
      all += task["task"].get<std::string>() + " ";
    return all;
  };
  EXPECT_FALSE(world.own->reload({}, {world_config(2), other, broken}).ok());
  EXPECT_EQ(names(), "small ") << "all or nothing";
  ASSERT_TRUE(world.own->reload({}, {world_config(2), other}).ok());
  EXPECT_EQ(names(), "small other ");
  // Devices are given both, and a second reload changes rules alone.
  std::set<std::string> assigned;
  for (std::uint32_t device = 0; device < 2; ++device) assigned.insert(world.assigned(device).task().name());
  EXPECT_EQ(assigned.size(), 2u);
  EXPECT_TRUE(world.own->reload({}, {world_config(2), other}).ok());
  EXPECT_EQ(names(), "small other ");
}

}  // namespace
}  // namespace sotto::server::coordinator_test
