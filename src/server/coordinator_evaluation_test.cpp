// Devices judge versions: who is asked, what is taken, what is released and what is not.
#include "privacy/dp/calibrate.h"
#include "server/testing/judged_world.h"
#include "server/testing/secure_world.h"

namespace sotto::server::coordinator_evaluation_test {
namespace {

using Json = nlohmann::json;

TEST(CoordinatorEvaluation, TheMeansOfThoseWhoJudgedAreReleasedWithTheVersion) {
  JudgedWorld world(judged(world_config(2), true));
  EXPECT_FALSE(world.offer(0).assignment().judge());  // the start is nobody's list
  world.train(2);
  const v1::Assignment first = world.asked(0), second = world.asked(1);
  EXPECT_EQ(first.round(), 1u);
  EXPECT_EQ(hash_rows(world.model(0, first)), world.newest().model_hash);
  EXPECT_FALSE(world.offer(2).assignment().judge());  // nobody more is wanted
  EXPECT_EQ(world.judge(0, first, 0).refusal(), v1::REFUSAL_NONE);
  EXPECT_FALSE(world.version(1).contains("evaluation"));
  EXPECT_EQ(world.judge(1, second, 1).refusal(), v1::REFUSAL_NONE);
  const Json figures = world.version(1)["evaluation"];
  EXPECT_EQ(figures["people"], 2);
  const Json& metrics = figures["metrics"];
  EXPECT_NEAR(metrics["P@3"].get<double>(), 1.0 / 3, 1e-4);
  EXPECT_NEAR(metrics["R@3"].get<double>(), 0.5, 1e-4);
  EXPECT_EQ(metrics["HR@3"], 1.0);
  EXPECT_NEAR(metrics["MRR@3"].get<double>(), 0.75, 1e-4);
  EXPECT_EQ(figures["coverage"]["items"], 4);  // 20, 10, 11, 12
  EXPECT_EQ(figures["coverage"]["lists"], Json::parse("[[0,0,26],[1,1,2],[2,2,2]]"));
  EXPECT_NE(world.own->metrics().find("sotto_evaluation{task=\"small\",metric=\"HR@3\"} 1\n"),
            std::string::npos);
  EXPECT_NE(world.own->metrics().find("sotto_evaluation_people{task=\"small\"} 2\n"), std::string::npos);
  // It is judged once, also after a restart, and the round that devices train in is another matter.
  world.restart();
  EXPECT_FALSE(world.offer(2).assignment().judge());
  EXPECT_EQ(world.version(1)["evaluation"], figures);
  EXPECT_NE(world.own->metrics().find("sotto_evaluation_version{task=\"small\"} 1\n"), std::string::npos);
  world.exchange(2);
  world.exchange(0);
  EXPECT_EQ(world.asked(1).round(), 2u);
}

TEST(CoordinatorEvaluation, NobodyIsAskedWhoDoesNotOffer) {
  JudgedWorld world(judged(world_config(2)));
  world.train(2);
  EXPECT_FALSE(world.check_in(0).assignment().judge());  // such as every older device
  EXPECT_FALSE(world.offer(1, 2).assignment().judge());  // it has judged this version
  JudgedWorld without(world_config(2), 0);
  without.add_device();
  without.add_device();
  without.train(2);
  EXPECT_FALSE(without.offer(0).assignment().judge());
}

TEST(CoordinatorEvaluation, TrainingIsWhatItIsWithout) {
  JudgedWorld world(judged(world_config(2)));
  world.train(2);
  const v1::Assignment first = world.asked(0);
  world.exchange(1);  // others train meanwhile
  world.exchange(2);
  EXPECT_EQ(world.newest().number, 2u);
  EXPECT_EQ(world.newest().model_hash, by_hand(world_spec(), {{0, 1}, {1, 2}}));
  // The version that was begun is judged to its end.
  EXPECT_EQ(world.judge(0, first, 0).refusal(), v1::REFUSAL_NONE);
  const v1::Assignment second = world.asked(2);
  EXPECT_EQ(second.round(), 1u);
  EXPECT_EQ(world.judge(2, second, 0).refusal(), v1::REFUSAL_NONE);
  EXPECT_TRUE(world.version(1).contains("evaluation"));
  EXPECT_EQ(world.asked(0).round(), 2u);
}

// A device judges once after each round that it answered: those of the last round must not have spent that on
// the version before.
TEST(CoordinatorEvaluation, TheLastVersionIsJudgedByThoseWhoMadeIt) {
  TaskConfig config = judged(world_config(2));
  config.rules.rounds = 2;
  JudgedWorld world(config, 4);
  world.train(2);
  const v1::Assignment first = world.asked(3);
  EXPECT_EQ(world.judge(3, first, 0).refusal(), v1::REFUSAL_NONE);
  world.exchange(0);
  EXPECT_FALSE(world.offer(0).assignment().judge()) << "it gave to the round that makes the next version";
  world.exchange(1);
  EXPECT_TRUE(world.log.has("1 people judged it, the quorum is 2"));
  for (const std::uint32_t device : {0u, 1u}) {
    const v1::Assignment last = world.asked(device);
    EXPECT_EQ(last.round(), 2u);
    EXPECT_EQ(world.judge(device, last, 0).refusal(), v1::REFUSAL_NONE);
  }
  EXPECT_EQ(world.version(2)["evaluation"]["people"], 2);
}

TEST(CoordinatorEvaluation, FewerThanTheQuorumAreNotReleased) {
  JudgedWorld world(judged(world_config(2)));
  world.train(2);
  const v1::Assignment only = world.asked(0);
  EXPECT_EQ(world.judge(0, only, 0).refusal(), v1::REFUSAL_NONE);
  world.now += 10'000;
  world.own->tick(world.now);
  EXPECT_EQ(world.released(), 0u);
  EXPECT_TRUE(world.log.has("1 people judged it, the quorum is 2"));
  EXPECT_EQ(world.judge(0, only, 0).refusal(), v1::REFUSAL_ROUND_FAILED);
  const v1::Assignment first = world.asked(1), second = world.asked(2);
  EXPECT_EQ(world.judge(1, first, 3).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.judge(2, second, 3).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.released(), 1u);
  EXPECT_EQ(world.version(1)["evaluation"]["metrics"]["HR@3"], 0.0);
}

TEST(CoordinatorEvaluation, LiesAndReplaysAreRefusedAndChangeNothing) {
  JudgedWorld world(judged(world_config(2), true));
  world.train(2);
  const v1::Assignment first = world.asked(0), second = world.asked(1);
  // Twice as many hits as there are: out of range, or of two people.
  for (const std::size_t column : {0, 1, 2, 3, 4, 5}) {
    Contribution lie = world.figures(0);
    ContributionEdit(lie).values(0)[column] = 1 << 17;
    EXPECT_EQ(world.give(0, first, world.message(first, lie)).refusal(), v1::REFUSAL_BAD_VALUE) << column;
  }
  // A contribution to the model is no figure, and figures are no contribution.
  const std::string trained = world.devices[0].contribution(1, world.model(0, first));
  EXPECT_EQ(world.give(0, first, trained).refusal(), v1::REFUSAL_WRONG_SHAPE);
  // Somebody else's, another version's, another time, another one.
  EXPECT_EQ(world.judge(2, first, 0).refusal(), v1::REFUSAL_NOT_ASSIGNED);
  EXPECT_EQ(world.give(0, first, pack_contribution({2, world.figures(0)}, false)).refusal(),
            v1::REFUSAL_WRONG_SHAPE);
  EXPECT_EQ(world.judge(0, first, 0).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.judge(0, first, 0).refusal(), v1::REFUSAL_NONE);  // the same again is counted once
  EXPECT_EQ(world.judge(0, first, 1).refusal(), v1::REFUSAL_DUPLICATE);
  EXPECT_EQ(world.judge(1, second, 3).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.judge(1, second, 3).refusal(), v1::REFUSAL_NONE);  // after the end too
  EXPECT_EQ(world.judge(1, second, 0).refusal(), v1::REFUSAL_DUPLICATE);
  const Json figures = world.version(1)["evaluation"];
  EXPECT_EQ(figures["people"], 2);
  EXPECT_EQ(figures["metrics"]["HR@3"], 0.5);
}

TEST(CoordinatorEvaluation, WhatCouldNotBeWrittenIsNotReleased) {
  JudgedWorld world(judged(world_config(2)));
  world.train(2);
  const v1::Assignment first = world.asked(0), second = world.asked(1);
  EXPECT_EQ(world.judge(0, first, 0).refusal(), v1::REFUSAL_NONE);
  world.store.writes_left = 0;  // the disk is full, or the process dies between sum and commit
  world.judge(1, second, 0);
  world.store.writes_left = -1;
  EXPECT_EQ(world.released(), 0u);
  EXPECT_EQ(world.own->metrics().find("sotto_evaluation{"), std::string::npos);
  world.restart();
  const v1::Assignment again = world.asked(0);
  EXPECT_EQ(world.judge(0, first, 0).refusal(), v1::REFUSAL_NOT_ASSIGNED);
  EXPECT_EQ(world.judge(0, again, 0).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.judge(2, world.asked(2), 0).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.released(), 1u);
}

TEST(CoordinatorEvaluation, AReleaseOfAnEarlierVersionIsJudgedAnew) {
  JudgedWorld world(judged(world_config(2)));
  world.train(2);
  world.judge(0, world.asked(0), 0);
  world.judge(1, world.asked(1), 0);
  world.train(2);
  ASSERT_TRUE(world.own->ask("release", R"({"version":1})", world.now).ok());
  EXPECT_EQ(world.asked(0).round(), 3u);
}

TEST(CoordinatorEvaluation, ATaskStopsWhenItsRuleSaysSo) {
  TaskConfig config = judged(world_config(2));
  config.rules.stop_when = "MRR not above 0.1 for 2";
  JudgedWorld world(config);
  const auto round = [&](std::uint32_t place) {
    world.train(2);
    world.judge(0, world.asked(0), place);
    world.judge(1, world.asked(1), place);
  };
  round(2);
  round(0);  // the best
  round(1);
  EXPECT_EQ(world.status("state"), "running");
  round(0);
  // The figures themselves end it, without another round.
  EXPECT_EQ(world.newest().number, 4u);
  EXPECT_EQ(world.status("state"), "finished");
  const std::string why = world.status("why");
  EXPECT_NE(why.find("is not above 1.0000, that of version 2"), std::string::npos) << why;
  EXPECT_FALSE(world.own->ask("resume", "", world.now).ok());
  world.restart();
  EXPECT_EQ(world.status("why"), why) << "also after a restart";
  config.rules.stop_when = "";
  ASSERT_TRUE(world.own->reload({}, {config}).ok());
  EXPECT_TRUE(world.own->ask("resume", "", world.now).ok());
}

TEST(CoordinatorEvaluation, AStopRuleOfErrorsNeedsPredictedRatings) {
  TaskConfig config = judged(world_config(2));
  config.rules.stop_when = "RMSE not below 0.001 for 5";
  const Status refused = check(config);
  ASSERT_FALSE(refused.ok());
  for (const char* part : {"fpl predicts no ratings", "no version ever has an RMSE", "nDCG not above"})
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
  config.spec.mutable_evaluation()->set_rating_range(4.0f);
  EXPECT_TRUE(check(config).ok());
  config.rules.stop_when = "Accuracy not above 0.1 for 5";
  EXPECT_NE(check(config).error().message.find("Accuracy is of classifiers"), std::string::npos);
  config.spec.mutable_evaluation()->set_rating_range(0.0f);
  config.rules.stop_when = "nDCG not above 0.001 for 5";
  EXPECT_TRUE(check(config).ok());
}

TEST(CoordinatorEvaluation, NoiseIsPaidForByABudgetOfItsOwn) {
  TaskConfig config = judged(world_config(2));
  config.evaluation = {.noise_multiplier = 2.0, .epsilon = 6.0, .delta = 1e-5};
  std::uint32_t fits = 0;
  while (cost_of({.noise = 2.0, .sampling = 1.0, .times = fits + 1}, 1e-5, Accountant::rdp) <= 6.0) ++fits;
  ASSERT_GT(fits, 1u);
  JudgedWorld world(config);
  for (std::uint32_t version = 1; version <= fits + 1; ++version) {
    world.train(2);
    if (version == 2) world.restart();  // what was spent stays spent
    const v1::CheckInReply reply = world.offer(0);
    EXPECT_EQ(reply.assignment().judge(), version <= fits) << version;
    if (version > fits) break;
    world.judge(0, reply.assignment(), 3);
    world.judge(1, world.asked(1), 3);
    EXPECT_EQ(world.released(), version);
  }
  // Nobody had a hit; the noise says otherwise somewhere.
  bool differs = false;
  for (std::uint32_t version = 1; version <= fits; ++version) {
    const Json metrics = world.version(version)["evaluation"]["metrics"];
    for (const auto& [name, value] : metrics.items()) {
      differs = differs || value != 0.0;
      EXPECT_LE(value, 1.0) << name;
    }
  }
  EXPECT_TRUE(differs);
}

TEST(CoordinatorEvaluation, WhatWasSpentIsKnownWithoutTheStore) {
  TaskConfig config = judged(world_config(2));
  config.evaluation = {.noise_multiplier = 2.0, .epsilon = 0.0, .delta = 1e-5};
  config.evaluation.epsilon =
      1.01 * cost_of({.noise = 2.0, .sampling = 1.0, .times = 1}, 1e-5, Accountant::rdp);
  JudgedWorld world(config);
  world.train(2);
  const int read = world.store.figures_read;
  world.judge(0, world.asked(0), 0);
  world.judge(1, world.asked(1), 0);
  ASSERT_EQ(world.released(), 1u);
  world.train(2);
  for (int times = 0; times < 20; ++times) EXPECT_FALSE(world.offer(times % 3).assignment().judge());
  EXPECT_EQ(world.store.figures_read, read + 1) << "by this test";
}

// A secure sum of figures; `lie` is added to the first one's number in `column`.
void judge_in_secret(JudgedWorld& world, std::size_t column = 0, std::int32_t lie = 0) {
  std::deque<SecureDevice> all;
  for (std::uint32_t n = 0; n < 6; ++n) {
    const v1::Assignment assignment = world.asked(n);
    std::vector<std::int32_t> input = world.summed(world.figures(n % 4));
    if (n == 0) input[column] += lie;
    all.emplace_back(world, n, assignment, std::move(input));
  }
  play(world, all, {}, v1::PHASE_KEYS, lie == 0);
}

TEST(CoordinatorEvaluation, ASecureSumReleasesTheSame) {
  JudgedWorld world(judged(secure_config(6), true), 6);
  play(world, 6);
  ASSERT_EQ(world.newest().number, 1u);
  judge_in_secret(world);
  const Json figures = world.version(1)["evaluation"];
  ASSERT_EQ(figures["people"], 6) << figures;
  EXPECT_NEAR(figures["metrics"]["HR@3"].get<double>(), 5.0 / 6, 1e-6);  // one of the six has no hit
  EXPECT_NEAR(figures["metrics"]["MRR@3"].get<double>(), (1 + .5 + 1. / 3 + 0 + 1 + .5) / 6, 1e-4);
  EXPECT_EQ(figures["coverage"]["items"], 4);
  play(world, 6);  // and training goes on
  EXPECT_EQ(world.newest().number, 2u);
}

TEST(CoordinatorEvaluation, AnImpossibleSecureTotalIsNotReleased) {
  for (const std::size_t column : {0, 1, 6}) {
    JudgedWorld world(judged(secure_config(6), true), 6);
    play(world, 6);
    judge_in_secret(world, column, -(1 << 14));
    EXPECT_EQ(world.released(), column == 1 ? 1u : 0u) << column;  // a small lie within what lists can have
  }
}

TEST(CoordinatorEvaluation, AConfigurationThatCannotWorkIsRefused) {
  const auto refusal = [](const std::function<void(TaskConfig&)>& change) {
    TaskConfig config = judged(world_config(4));
    change(config);
    const Status checked = check(config);
    return checked.ok() ? std::string() : checked.error().message;
  };
  EXPECT_EQ(refusal([](TaskConfig&) {}), "");
  EXPECT_NE(refusal([](TaskConfig& c) { c.rules.evaluate_goal = 1; }).find("at least the quorum"),
            std::string::npos);
  EXPECT_NE(refusal([](TaskConfig& c) { c.evaluation.noise_multiplier = 1.0; }).find("go together"),
            std::string::npos);
  EXPECT_NE(refusal([](TaskConfig& c) {
              c.spec.set_clip(1.0);
              c.dp = TaskDp{.noise_multiplier = 1.0, .epsilon = 5.0};
            }).find("figures without noise show more"),
            std::string::npos);
  EXPECT_NE(refusal([](TaskConfig& c) {
              c.spec.mutable_evaluation()->set_coverage(true);
              c.evaluation = {.noise_multiplier = 1.0, .epsilon = 5.0};
            }).find("drown"),
            std::string::npos);
  EXPECT_NE(refusal([](TaskConfig& c) {
              c.spec.clear_evaluation();
              c.rules.evaluate_goal = 5;
            }).find("nothing is evaluated"),
            std::string::npos);
}

TEST(CoordinatorEvaluation, WhoIsKeptOutOfSumsJudgesNothing) {
  JudgedWorld world(judged(world_config(2)));
  const v1::Assignment trains = world.assigned(2);
  for (std::uint32_t n = 0; n < Conduct::most_refused; ++n)
    EXPECT_NE(world.give(2, trains, "no contribution").refusal(), v1::REFUSAL_NONE);
  for (const std::uint32_t device : {2, 0}) world.exchange(device);  // it was assigned before
  ASSERT_EQ(world.newest().number, 1u);
  EXPECT_FALSE(world.offer(2).assignment().judge());
  EXPECT_TRUE(world.offer(0).assignment().judge());
  world.now += CoordinatorOptions{}.keep_out_ms;
  EXPECT_TRUE(world.offer(2).assignment().judge());
}

// What was judged before the items grew is released where it suffices.
TEST(CoordinatorEvaluation, EndsWhereTheItemsGrow) {
  TaskConfig config = judged(world_config(2));
  config.rules.quorum = 1;
  JudgedWorld world(config);
  world.train(2);
  EXPECT_EQ(world.judge(0, world.asked(0), 0).refusal(), v1::REFUSAL_NONE);
  EXPECT_EQ(world.released(), 0u);
  config.spec.set_items(40);
  ASSERT_TRUE(world.own->reload({}, {config}).ok());
  EXPECT_EQ(world.version(1)["evaluation"]["people"], 1);
}

}  // namespace
}  // namespace sotto::server::coordinator_evaluation_test
