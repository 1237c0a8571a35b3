// A version on trial: who has it, who judges what, what training goes on, and how the trial ends.
#include <cmath>

#include "privacy/dp/calibrate.h"
#include "server/testing/judged_world.h"
#include "server/testing/secure_world.h"
#include "server/trial.h"

namespace sotto::server::coordinator_trial_test {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t people = 24;

TaskConfig tried(double share = 0.5) {
  TaskConfig config = judged(world_config(2));
  config.rules.canary_share = share;
  return config;
}

// Version 1 is everybody's; version 2 is on trial.
struct TriedWorld : JudgedWorld {
  explicit TriedWorld(const TaskConfig& config = tried()) : JudgedWorld(config, people) {
    train(2);
    train(2);
    for (std::uint32_t n = 0; n < people; ++n) (on_trial(n) ? in : out).push_back(n);
    // One of each side at least: 1 in 300,000 runs draws otherwise.
    EXPECT_GE(in.size(), 2u);
    EXPECT_GE(out.size(), 2u);
  }
  [[nodiscard]] bool on_trial(std::uint32_t device) {
    return newest().trial && is_in_share(*newest().trial, device);
  }
  [[nodiscard]] std::string hash(std::uint32_t number) {
    return store.versions("small", 100)->at(newest().number - number).model_hash;
  }
  [[nodiscard]] std::string news_of(std::uint32_t device) {
    const v1::CheckInReply reply = check_in(device);
    return reply.has_news() ? hash_rows(model(device, reply.news())) : "";
  }
  [[nodiscard]] Result<std::string> say(const std::string& command, const Json& arguments = Json::object()) {
    return own->ask(command, arguments.dump(), now);
  }

  std::vector<std::uint32_t> in, out;
};

TEST(CoordinatorTrial, AShareHasTheNewVersionAndAllOthersTheOneBefore) {
  TriedWorld world;
  EXPECT_EQ(world.newest().number, 2u);
  const Json version = world.version(2);
  EXPECT_EQ(version["trial"], Json::parse(R"({"stable":1,"share":0.5,"state":"open"})"));
  EXPECT_FALSE(world.version(1).contains("trial")) << "the first replaces nothing";
  EXPECT_EQ(version.dump().find(world.newest().trial->salt), std::string::npos) << "who is in it is not told";
  EXPECT_NE(world.own->metrics().find("sotto_trial_version{task=\"small\"} 2\n"), std::string::npos);
  // By news, for no round brings it, and after a death of the server the same.
  for (int life = 0; life < 2; ++life) {
    for (const std::uint32_t device : world.in)
      EXPECT_EQ(world.news_of(device), life == 0 ? world.hash(2) : "");
    for (const std::uint32_t device : world.out) {
      const std::string news = world.news_of(device);
      // Who trained in the first round has it.
      EXPECT_TRUE(news == world.hash(1) || news.empty());
    }
    world.restart();
  }
  EXPECT_EQ(world.newest().number, 2u) << "nobody trains meanwhile";
}

TEST(CoordinatorTrial, BothAreJudgedAtTheSameTimeEachByItsOwn) {
  TriedWorld world;
  std::vector<v1::Assignment> asked;
  for (const std::uint32_t device : {world.in[0], world.in[1], world.out[0], world.out[1]}) {
    asked.push_back(world.asked(device));
    EXPECT_EQ(asked.back().round(), 2u);
    EXPECT_EQ(hash_rows(world.model(device, asked.back())), world.hash(world.on_trial(device) ? 2 : 1));
  }
  EXPECT_EQ(world.judge(world.in[0], asked[0], 0).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.judge(world.out[0], asked[2], 3).refusal(), v1::REFUSAL_NONE);
  EXPECT_FALSE(world.version(2).contains("evaluation"));
  EXPECT_EQ(world.judge(world.in[1], asked[1], 0).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.judge(world.out[1], asked[3], 1).refusal(), v1::REFUSAL_NONE);
  const auto check = [&] {
    const Json version = world.version(2);
    EXPECT_EQ(version["evaluation"]["metrics"]["HR@3"], 1.0) << version;
    EXPECT_EQ(version["beside"]["metrics"]["HR@3"], 0.5) << version;
    EXPECT_EQ(version["beside"]["people"], 2);
    EXPECT_LT(version["evaluation"]["intervals"]["HR@3"][0], 1.0) << version;
    EXPECT_LT(version["beside"]["intervals"]["HR@3"][0], 0.5);
    EXPECT_GT(version["beside"]["intervals"]["HR@3"][1], 0.5);
    EXPECT_NE(world.own->metrics().find("sotto_evaluation_beside{task=\"small\",metric=\"HR@3\"} 0.5\n"),
              std::string::npos);
  };
  check();
  world.restart();
  check();
  EXPECT_FALSE(world.offer(world.out[1]).assignment().judge()) << "once";
}

TEST(CoordinatorTrial, APromotedVersionIsAllDevicesAndTrainingGoesOn) {
  TriedWorld world;
  const std::string tried = world.hash(2);
  EXPECT_NE(world.say("release", {{"version", 2}}).error().message.find("is on trial: promote it"),
            std::string::npos);
  world.store.writes_left = 0;
  EXPECT_FALSE(world.say("promote").ok());
  world.store.writes_left = -1;
  EXPECT_EQ(world.version(2)["trial"]["state"], "open");
  ASSERT_TRUE(world.say("promote").ok());
  EXPECT_NE(world.say("promote").error().message.find("no version of task 'small' is on trial"),
            std::string::npos);
  world.restart();
  EXPECT_EQ(world.version(2)["trial"]["state"], "promoted");
  EXPECT_EQ(hash_rows(world.model(world.out[0], world.assigned(world.out[0]))), tried);
  EXPECT_NE(world.own->metrics().find("sotto_trial_version{task=\"small\"} 0\n"), std::string::npos);
}

TEST(CoordinatorTrial, AVersionThatIsNotWantedIsTakenBack) {
  TriedWorld world;
  EXPECT_EQ(world.news_of(world.in[0]), world.hash(2));
  const v1::Assignment open = world.asked(world.in[1]);
  ASSERT_TRUE(world.say("release", {{"version", 1}}).ok());
  EXPECT_EQ(world.judge(world.in[1], open, 0).refusal(), v1::REFUSAL_ROUND_FAILED);
  EXPECT_EQ(world.version(2)["trial"]["state"], "dropped");
  EXPECT_FALSE(world.version(3).contains("trial"));
  EXPECT_EQ(world.hash(3), world.hash(1));
  // Who has it gets the one before again, with the next round.
  EXPECT_EQ(hash_rows(world.model(world.in[0], world.assigned(world.in[0]))), world.hash(1));
  world.restart();
  EXPECT_EQ(world.version(2)["trial"]["state"], "dropped");
}

TEST(CoordinatorTrial, AnEarlierVersionCanBeTriedToo) {
  TaskConfig config = tried(0.0);
  JudgedWorld world(config, people);
  EXPECT_NE(world.own->ask("promote", "", world.now).error().message.find("no version"), std::string::npos);
  for (int round = 0; round < 3; ++round) world.train(2);
  EXPECT_FALSE(world.newest().trial.has_value());
  for (const double share : {1.0, -0.5, 7.0})
    EXPECT_FALSE(world.own->ask("release", Json{{"version", 1}, {"share", share}}.dump(), world.now).ok());
  ASSERT_TRUE(world.own->ask("release", R"({"version":1,"share":0.25})", world.now).ok());
  const VersionRecord newest = world.newest();
  ASSERT_TRUE(newest.trial.has_value());
  EXPECT_EQ(newest.again, 1u);
  EXPECT_EQ(newest.trial->stable, 3u);
  EXPECT_FALSE(world.check_in(0).has_assignment()) << "no round opens";
  // Another one instead: all others keep what they had.
  ASSERT_TRUE(world.own->ask("release", R"({"version":2,"share":0.25})", world.now).ok());
  EXPECT_EQ(world.newest().trial->stable, 3u);
  EXPECT_EQ(world.version(4)["trial"]["state"], "dropped");
}

TEST(CoordinatorTrial, WhatAllOthersKeepCanAlwaysBeHad) {
  JudgedWorld world(tried(0.0), people);
  for (int round = 0; round < 2; ++round) world.train(2);
  const std::string kept = world.newest().model_hash;
  int trials = 0;
  const auto again = [&] { return world.own->ask("release", R"({"version":1,"share":0.01})", world.now); };
  while (trials < 50 && again().ok()) ++trials;
  EXPECT_GT(trials, 10);
  EXPECT_NE(again().error().message.find("too many were tried"), std::string::npos);
  for (int life = 0; life < 2; ++life) {
    const std::uint32_t device = life == 0 ? 5 : 6;
    if (is_in_share(*world.newest().trial, device)) continue;
    EXPECT_EQ(hash_rows(world.model(device, world.asked(device))), kept);
    world.restart();
  }
}

TEST(CoordinatorTrial, ATaskThatIsFinishedCanHaveOneOnTrial) {
  TaskConfig config = tried();
  config.rules.rounds = 2;
  TriedWorld world(config);
  EXPECT_EQ(world.status("state"), "finished");
  EXPECT_EQ(world.news_of(world.in[0]), world.hash(2));
  EXPECT_NE(world.news_of(world.out[0]), world.hash(2));
  ASSERT_TRUE(world.say("promote").ok());
  EXPECT_EQ(world.news_of(world.out[0]), world.hash(2));
}

TEST(CoordinatorTrial, WhatIsLeftOfABufferWaitsForTheNextAssignment) {
  TaskConfig config = tried();
  config.rules.mode = RoundRules::Mode::buffered;
  config.rules.max_staleness = 4;
  JudgedWorld world(config, 4);
  world.train(2);
  const v1::Assignment late = world.assigned(3);
  const std::string message = world.devices[3].contribution(late.round(), world.model(3, late));
  world.exchange(0);
  world.exchange(1);
  ASSERT_TRUE(world.newest().trial.has_value());
  EXPECT_NE(world.give(3, late, message).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.newest().number, 2u);
  EXPECT_EQ(world.store.open_rounds()->size(), 0u);
}

// The same in secure sums: one of those who have the new version, and one of the others.
struct SecretTrial : JudgedWorld {
  static constexpr std::uint32_t members = 6;
  SecretTrial() : JudgedWorld(config(), 2 * people) {
    play(*this, members);
    play(*this, members);
    for (std::uint32_t n = 0; n < 2 * people; ++n)
      sides[is_in_share(*newest().trial, n) ? 0 : 1].push_back(n);
    // 1 in 100,000,000 runs draws otherwise.
    EXPECT_GE(std::min(sides[0].size(), sides[1].size()), std::size_t{members});
  }
  static TaskConfig config() {
    TaskConfig secret = judged(secure_config(members));
    secret.rules.canary_share = 0.5;
    return secret;
  }
  // Who judges on one side, all with their hit at `place`; a liar counts as less than one.
  void ask(std::size_t side, std::uint32_t place, std::deque<SecureDevice>& all, bool one_lies = false) {
    for (std::uint32_t n = 0; n < members; ++n) {
      std::vector<std::int32_t> input = summed(figures(place));
      if (n == 0 && one_lies) input[0] -= 1 << 14;
      const v1::Assignment assignment = asked(sides[side][n]);
      EXPECT_EQ(hash_rows(model(sides[side][n], assignment)),
                store.versions("small", 2)->at(side).model_hash);
      all.emplace_back(*this, sides[side][n], assignment, std::move(input));
    }
  }

  std::array<std::vector<std::uint32_t>, 2> sides;
};

TEST(CoordinatorSecretTrial, BothAreJudgedInSumsOfTheirOwn) {
  SecretTrial world;
  std::deque<SecureDevice> all;
  world.ask(0, 0, all);
  world.ask(1, 3, all);
  play(world, all);
  for (int life = 0; life < 2; ++life) {
    const Json version = world.version(2);
    EXPECT_EQ(version["evaluation"]["people"], SecretTrial::members) << version;
    EXPECT_EQ(version["evaluation"]["metrics"]["HR@3"], 1.0);
    EXPECT_EQ(version["beside"]["people"], SecretTrial::members);
    EXPECT_EQ(version["beside"]["metrics"]["HR@3"], 0.0);
    world.restart();
  }
  EXPECT_TRUE(world.own->ask("promote", "", world.now).ok());
  play(world, SecretTrial::members);  // training goes on
  EXPECT_EQ(world.newest().number, 3u);
}

TEST(CoordinatorSecretTrial, OneSideGoesOnWithoutTheOther) {
  for (const std::size_t side : {0, 1}) {
    SecretTrial world;
    std::deque<SecureDevice> bad, good;
    world.ask(side, 0, bad, true);
    play(world, bad, {}, v1::PHASE_KEYS, false);
    EXPECT_EQ(world.released(), 0u);
    EXPECT_TRUE(world.log.has("evaluation given up"));
    // Of the other side one falls silent, and the sum is of those who stay.
    world.ask(1 - side, 0, good);
    play(world, good, good[2].number, v1::PHASE_MASKED);
    const Json version = world.version(2);
    EXPECT_EQ(version[side == 0 ? "beside" : "evaluation"]["people"], SecretTrial::members - 1) << version;
    EXPECT_FALSE(version.contains(side == 0 ? "evaluation" : "beside"));
    EXPECT_EQ(version["trial"]["state"], "open");
  }
}

// Both sides draw on one budget; of a release that it does not bear nobody is asked for figures.
TEST(CoordinatorTrial, NoiseIsPaidForOnBothSides) {
  TaskConfig config = tried();
  config.evaluation = {.noise_multiplier = 2.0, .epsilon = 0.0, .delta = 1e-5};
  config.evaluation.epsilon =
      1.01 * cost_of({.noise = 2.0, .sampling = 1.0, .times = 3}, 1e-5, Accountant::rdp);
  TriedWorld world(config);
  std::vector<std::pair<std::uint32_t, v1::Assignment>> asked;
  for (const std::uint32_t device : {world.in[0], world.in[1], world.out[0], world.out[1]})
    asked.emplace_back(device, world.asked(device));
  for (const auto& [device, assignment] : asked)
    EXPECT_EQ(world.judge(device, assignment, 0).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.released(), 2u);
  const Json both = world.version(2);
  EXPECT_NE(both["evaluation"]["metrics"], both["beside"]["metrics"])
      << "the same lists, each with its own noise";
  // What may lie in it is wider than without.
  const Json interval = both["evaluation"]["intervals"]["HR@3"];
  EXPECT_GT(interval[1].get<double>() - interval[0].get<double>(), 0.9) << interval;
  ASSERT_TRUE(world.say("promote").ok());
  world.train(2);
  const auto first = [&](bool share) {
    std::uint32_t device = 0;
    while (world.on_trial(device) != share) ++device;
    return device;
  };
  for (int life = 0; life < 2; ++life) {
    EXPECT_TRUE(world.offer(first(true), 3).assignment().judge()) << "of three, one is left";
    EXPECT_FALSE(world.offer(first(false), 3).assignment().judge()) << "and has been taken";
    world.restart();
  }
  EXPECT_TRUE(world.offer(first(false), 3).assignment().judge()) << "whoever comes first";
}

// All others keep a version of as many items as they know.
TEST(CoordinatorTrial, ItemsDoNotGrowMeanwhile) {
  TaskConfig config = tried();
  TriedWorld world(config);
  config.spec.set_items(40);
  const auto why = [](const auto& refused) { return refused.ok() ? "" : refused.error().message; };
  const std::string told = "version 2 of task 'small' is on trial: ";
  EXPECT_TRUE(why(world.own->reload({}, {config})).starts_with(told));
  EXPECT_TRUE(why(Coordinator::open(world.store, {}, {config}, world.log, world.now)).starts_with(told));
  EXPECT_EQ(world.newest().number, 2u);
  ASSERT_TRUE(world.say("promote").ok());
  ASSERT_TRUE(world.own->reload({}, {config}).ok());
  world.configure(config);
  for (int life = 0; life < 2; ++life) {
    EXPECT_EQ(world.newest().number, 3u);
    EXPECT_FALSE(world.newest().trial.has_value()) << "who promoted the one before gave it to all";
    EXPECT_EQ(world.status("state"), "running");
    EXPECT_EQ(world.check_in(world.out[life]).assignment().task().items(), 40u);
    world.restart();
  }
  // What all others keep from here on has as many items.
  ASSERT_TRUE(world.say("release", {{"version", 1}, {"share", 0.5}}).ok());
  EXPECT_EQ(world.newest().trial->stable, 3u);
  for (std::uint32_t n = 0; n < people; ++n) EXPECT_EQ(world.check_in(n).news().task().items(), 40u) << n;
}

TEST(CoordinatorTrial, OneThatWasDroppedEndsNoTask) {
  TaskConfig config = tried();
  config.rules.stop_when = "HR not above 0.1 for 1";
  JudgedWorld world(config, people);
  const auto judge_by = [&](std::uint32_t first, std::uint32_t second, std::uint32_t place) {
    const v1::Assignment one = world.asked(first), other = world.asked(second);
    EXPECT_EQ(world.judge(first, one, place).refusal(), v1::REFUSAL_NONE);
    EXPECT_EQ(world.judge(second, other, 3).refusal(), v1::REFUSAL_NONE);
  };
  world.train(2);
  judge_by(0, 1, 3);  // HR 0
  world.train(2);
  std::vector<std::uint32_t> in;
  for (std::uint32_t n = 0; n < people; ++n)
    if (is_in_share(*world.newest().trial, n)) in.push_back(n);
  ASSERT_GE(in.size(), 2u);
  judge_by(in[0], in[1], 0);  // HR 1/2
  ASSERT_TRUE(world.own->ask("release", R"({"version":1})", world.now).ok());
  world.restart();
  judge_by(2, 3, 0);  // HR 1/2 again: better than version 1, and no better than what was dropped
  EXPECT_EQ(world.version(3)["evaluation"]["metrics"]["HR@3"], 0.5);
  EXPECT_EQ(world.status("state"), "running");
}

// Version 1 is the start with more rows: nobody trained it, nobody has it or judges it, and the first that
// somebody trained replaces nothing.
TEST(CoordinatorTrial, TheStartIsTheStartAlsoWhereItsItemsGrew) {
  TaskConfig config = tried();
  JudgedWorld world(config, 0);
  config.spec.set_items(40);
  ASSERT_TRUE(world.own->reload({}, {config}).ok());
  world.configure(config);
  ASSERT_EQ(world.newest().number, 1u);
  for (std::uint32_t n = 0; n < people; ++n) world.add_device();
  const auto ask = [&](const char* command, const char* arguments = "") {
    return world.own->ask(command, arguments, world.now).ok();
  };
  const auto check_untold = [&] {
    EXPECT_FALSE(world.offer(5).assignment().judge());
    world.now += 10'000;  // who was assigned did not come
    world.own->tick(world.now);
    ASSERT_TRUE(ask("pause"));
    EXPECT_FALSE(world.check_in(6).has_news());
    ASSERT_TRUE(ask("resume"));
    world.restart();
  };
  for (int life = 0; life < 2; ++life) check_untold();
  world.train(2);
  EXPECT_EQ(world.newest().number, 2u);
  EXPECT_FALSE(world.newest().trial.has_value());
  world.train(2);
  EXPECT_EQ(world.newest().trial->stable, 2u);
  // Likewise where the start is released again.
  EXPECT_FALSE(ask("release", R"({"version":0,"share":0.5})")) << "there is nothing to try";
  ASSERT_TRUE(ask("release", R"({"version":0})"));
  EXPECT_FALSE(ask("release", R"({"version":2,"share":0.5})")) << "others would keep the start";
  check_untold();
  world.train(2);
  EXPECT_EQ(world.newest().number, 5u);
  EXPECT_FALSE(world.newest().trial.has_value());
}

TEST(CoordinatorTrial, AShareThatIsNoneIsRefused) {
  for (const double share : {1.0, -0.1, std::nan("")}) {
    const Status checked = check(tried(share));
    ASSERT_FALSE(checked.ok()) << share;
    EXPECT_NE(checked.error().message.find("canary_share"), std::string::npos) << checked.error().message;
  }
}

}  // namespace
}  // namespace sotto::server::coordinator_trial_test
