// A round whose sum is being made into a model: everybody else is answered meanwhile, and nobody gives to it.
#include <future>
#include <latch>

#include "server/testing/coordinator_world.h"

namespace sotto::server::coordinator_release_test {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr auto patience = 20s;  // of a test that fails

TaskConfig with_spare(RoundRules::Mode mode = RoundRules::Mode::cohorts) {
  TaskConfig config = world_config(2);
  config.rules.over_selection = 1.5;
  config.rules.mode = mode;
  if (mode == RoundRules::Mode::buffered) config.rules.max_staleness = 4;
  return config;
}

// A task whose release blocks until it may go on, beside another task.
class ARelease : public testing::Test {
 protected:
  explicit ARelease(const TaskConfig& config = with_spare()) : world(config, 4) {
    TaskConfig other = world_config(2);
    other.spec.set_name("other");
    EXPECT_TRUE(world.own->reload({}, {config, other}).ok());
  }
  ~ARelease() override {
    if (last.valid()) finish();
  }
  v1::CheckInReply ask_for(const char* task, std::uint32_t device) {
    v1::CheckInRequest request;
    request.add_tasks(task);
    return world.check_in(device, request);
  }
  std::string message(std::uint32_t device, const v1::Assignment& assignment) {
    return world.devices[device].contribution(assignment.round(), world.model(device, assignment));
  }
  // Devices 0 and 1 make a round full; 2 is assigned and has not given.
  void begin() {
    for (std::uint32_t n = 0; n < 3; ++n) {
      given.push_back(ask_for("small", n).assignment());
      messages.push_back(message(n, given[n]));
    }
    EXPECT_EQ(world.give(0, given[0], messages[0]).refusal(), v1::REFUSAL_NONE);
    world.store.before_blob = [this] {
      computing.count_down();
      go_on.wait();
    };
    last = std::async(std::launch::async, [this] { return world.give(1, given[1], messages[1]); });
    computing.wait();
  }
  // What is asked meanwhile, as a call that must not wait for the release.
  template <class Call>
  auto answered(const Call& call) -> decltype(call()) {
    auto answer = std::async(std::launch::async, call);
    if (answer.wait_for(patience) != std::future_status::ready) {
      ADD_FAILURE() << "it waits for the release";
      go_on.count_down();
    }
    return answer.get();
  }
  void finish() {
    if (!go_on.try_wait()) go_on.count_down();
    EXPECT_EQ(last.get().refusal(), v1::REFUSAL_NONE);
  }
  Json task() { return Json::parse(*world.own->ask("tasks", "", world.now))[0]; }

  World world;
  std::vector<v1::Assignment> given;
  std::vector<std::string> messages;
  std::latch computing{1}, go_on{1};
  std::future<v1::Reply> last;
};

TEST_F(ARelease, KeepsNobodyWaiting) {
  begin();
  EXPECT_TRUE(answered([&] { return ask_for("other", 3); }).has_assignment());
  answered([&] { return world.own->tick(world.now += 20'000), true; });  // beyond the round's deadline
  EXPECT_NE(answered([&] { return world.own->metrics(); }).find("sotto_version{task=\"small\"} 0\n"),
            std::string::npos);
  Json small = task();
  EXPECT_EQ(small["newest"]["version"], 0);
  EXPECT_EQ(small["open"]["contributions"], 2);
  EXPECT_EQ(small["open"]["releasing"], true);
  finish();
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), {{0, 1}}));
  EXPECT_FALSE(task().contains("open"));
}

TEST_F(ARelease, TakesNothingMore) {
  begin();
  EXPECT_FALSE(answered([&] { return ask_for("small", 3); }).has_assignment()) << "nobody joins";
  EXPECT_FALSE(ask_for("small", 2).has_assignment()) << "who is too late is not asked any more";
  EXPECT_EQ(world.give(2, given[2], messages[2]).refusal(), v1::REFUSAL_TOO_LATE);
  EXPECT_EQ(world.give(0, given[0], messages[0]).refusal(), v1::REFUSAL_NONE) << "it was taken";
  EXPECT_EQ(world.give(0, given[0], messages[2]).refusal(), v1::REFUSAL_DUPLICATE);
  finish();
  EXPECT_EQ(world.newest().contributions, 2u);
  EXPECT_EQ(world.give(2, given[2], messages[2]).refusal(), v1::REFUSAL_TOO_LATE);
  EXPECT_EQ(ask_for("small", 3).assignment().round(), 1u);
}

TEST_F(ARelease, IsEndedByStopAndWaitedForByTheOperator) {
  begin();
  auto again = std::async(std::launch::async, [&] {
    return world.own->ask("release", R"({"task":"small","version":0})", world.now);
  });
  auto stopped = std::async(std::launch::async, [&] { world.own->stop(); });
  EXPECT_FALSE(world.own->idle());
  finish();
  stopped.get();
  EXPECT_TRUE(again.get().ok());
  EXPECT_TRUE(world.own->idle());
  EXPECT_EQ(world.newest().number, 2u) << "the round's, and behind it the start once more";
  EXPECT_EQ(world.last_round().state, RoundState::committed);
}

TEST_F(ARelease, ThatCannotBeWrittenGivesTheRoundUp) {
  begin();
  world.store.writes_left = 0;
  finish();
  world.store.writes_left = -1;
  EXPECT_EQ(world.newest().number, 0u);
  EXPECT_EQ(world.give(0, given[0], messages[0]).refusal(), v1::REFUSAL_ROUND_FAILED);
  EXPECT_EQ(ask_for("small", 3).assignment().round(), 1u);
}

// The process dies meanwhile: what comes after it finds the round open, as that of any death.
TEST_F(ARelease, IsLostWithItsProcess) {
  begin();
  LogLines log;
  const auto next = Coordinator::open(world.store, {}, {with_spare()}, log, world.now);
  ASSERT_TRUE(next.ok()) << next.error().message;
  EXPECT_TRUE(log.has("round given up"));
  EXPECT_EQ(world.last_round().state, RoundState::abandoned);
  finish();  // what the dead one would have written is refused
  EXPECT_EQ(world.newest().number, 0u);
  EXPECT_EQ(world.last_round().round, 0u);
}

class ABufferedRelease : public ARelease {
 protected:
  ABufferedRelease() : ARelease(with_spare(RoundRules::Mode::buffered)) {}
};

TEST_F(ABufferedRelease, LetsThoseWhoAreLateGiveToTheNext) {
  begin();
  const v1::Reply reply = answered([&] { return world.give(2, given[2], messages[2]); });
  EXPECT_EQ(reply.refusal(), v1::REFUSAL_BUSY);
  EXPECT_GT(reply.retry_after_ms(), 0u);
  EXPECT_EQ(ask_for("small", 2).assignment().token(), given[2].token());
  EXPECT_FALSE(ask_for("small", 3).has_assignment());
  finish();
  EXPECT_EQ(world.give(2, given[2], messages[2]).refusal(), v1::REFUSAL_NONE);
  const v1::Assignment next = ask_for("small", 3).assignment();
  EXPECT_EQ(world.give(3, next, message(3, next)).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.newest().number, 2u);
}

}  // namespace
}  // namespace sotto::server::coordinator_release_test
