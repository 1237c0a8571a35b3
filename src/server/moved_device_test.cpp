// A device that moved answers from one machine: what is refused where its file was taken in twice, or where a
// copy of before asks.
#include <gtest/gtest.h>

#include "server/testing/coordinator_world.h"

namespace sotto::server::moved_device_test {
namespace {

std::string home(char letter) { return std::string(16, letter); }

class AMovedDevice : public testing::Test {
 protected:
  v1::Reply from(const std::string& homes, std::uint32_t device = 0) {
    v1::CheckInRequest request;
    request.set_homes(homes);
    return world.ask(device, Method::check_in, request);
  }
  bool answers(const std::string& homes) { return from(homes).refusal() == v1::REFUSAL_NONE; }
  bool is_elsewhere(const std::string& homes) { return from(homes).refusal() == v1::REFUSAL_MOVED; }

  World world{world_config(2), 2};
};

TEST_F(AMovedDevice, AnswersFromTheMachineThatAskedFirst) {
  EXPECT_TRUE(answers(""));
  EXPECT_TRUE(answers(home('b')));  // moved to b
  // The same file on another machine, and a copy of the vault from before the move.
  const v1::Reply second = from(home('c'));
  EXPECT_EQ(second.refusal(), v1::REFUSAL_MOVED);
  EXPECT_EQ(
      second.why(),
      "this device is in use on another machine since 2023-11-14 22:13 UTC: remove it here ('sotto device "
      "delete --offline'), or move it here from there; if that machine is not yours, have the operator "
      "revoke the "
      "device, and enrol anew");
  EXPECT_TRUE(is_elsewhere(""));
  EXPECT_TRUE(answers(home('b')));
  EXPECT_TRUE(from("", 1).refusal() == v1::REFUSAL_NONE);  // another device
}

TEST_F(AMovedDevice, MovesOnFromWhereItAnswers) {
  EXPECT_TRUE(answers(home('b')));
  // What was refused moves on in vain, and so does who forgets where it was.
  EXPECT_TRUE(is_elsewhere(home('c') + home('d')));
  EXPECT_TRUE(is_elsewhere(home('d')));
  // Twice without a word from the machine between.
  EXPECT_TRUE(answers(home('b') + home('d') + home('e')));
  EXPECT_TRUE(is_elsewhere(home('b')));
  EXPECT_TRUE(is_elsewhere(home('b') + home('f')));
  EXPECT_TRUE(is_elsewhere(home('b') + home('d') + home('f')));
}

TEST_F(AMovedDevice, IsNotRemovedByACopyThatLeaves) {
  const auto leaves = [&](const std::string& homes, bool forget) {
    v1::LeaveRequest request;
    request.set_forget(forget);
    request.set_homes(homes);
    return world.ask(0, Method::leave, request);
  };
  EXPECT_TRUE(answers(home('b')));
  for (const std::string& copy : {std::string(), home('c')})
    for (const bool forget : {false, true}) {
      const v1::Reply reply = leaves(copy, forget);
      EXPECT_EQ(reply.refusal(), v1::REFUSAL_MOVED);
      EXPECT_NE(reply.why().find("'sotto device delete --offline'"), std::string::npos) << reply.why();
    }
  EXPECT_TRUE(answers(home('b')));
  EXPECT_EQ(leaves(home('b'), true).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(from(home('b')).refusal(), v1::REFUSAL_UNKNOWN_DEVICE);
}

TEST_F(AMovedDevice, IsKnownAfterARestart) {
  EXPECT_TRUE(answers(home('b')));
  world.now += 60'000;
  world.restart();
  EXPECT_TRUE(is_elsewhere(home('c')));
  EXPECT_TRUE(answers(home('b')));
  const auto told = world.own->ask("devices", "", world.now);
  ASSERT_TRUE(told.ok());
  const auto all = nlohmann::json::parse(*told);
  EXPECT_EQ(all[1]["moved"]["times"], 1);
  EXPECT_EQ(all[1]["moved"]["since_ms"], 1'700'000'000'000);
  EXPECT_FALSE(all[0].contains("moved"));
}

TEST_F(AMovedDevice, IsNotTakenForMovedWhereThatCannotBeWritten) {
  world.store.writes_left = 0;
  EXPECT_EQ(from(home('b')).refusal(), v1::REFUSAL_INTERNAL);
  world.store.writes_left = -1;
  EXPECT_TRUE(answers(home('c')));
}

TEST_F(AMovedDevice, SaysNoNonsense) {
  EXPECT_EQ(from("x").refusal(), v1::REFUSAL_BAD_MESSAGE);
  EXPECT_EQ(from(std::string(65 * 16 + 1, 'x')).why(), "the request names no homes");
  EXPECT_TRUE(answers(""));
}

TEST_F(AMovedDevice, HearsThatItMovedTooOften) {
  std::string homes;
  for (char n = 0; n < 64; ++n) homes += home(static_cast<char>('!' + n));
  EXPECT_TRUE(answers(homes));
  const v1::Reply reply = from(homes + home('z'));
  EXPECT_EQ(reply.refusal(), v1::REFUSAL_BAD_MESSAGE);
  EXPECT_EQ(
      reply.why(),
      "this device has moved more than 64 times, and is answered no more: enrol anew in another folder");
}

}  // namespace
}  // namespace sotto::server::moved_device_test
