// A version on trial over a real wire, with real devices: both versions are judged in sums of their own.
#include "fed/models/live_evaluation.h"
#include "tests/e2e/held_out.h"
#include "tests/e2e/trained_world.h"

namespace sotto::tests::e2e {
namespace {

class ATrialOverTheWire : public testing::TestWithParam<bool> {};

TEST_P(ATrialOverTheWire, IsJudgedOnBothSides) {
  constexpr std::uint32_t judges = 12;  // of each side, of some thirty
  const bool secure = GetParam();
  const Case one{.name = "Trial", .secure = secure, .model = &fcf_task};
  const Prepared prepared = world(one.model);
  TaskConfig config = task_for(one, prepared.split);
  hold_out(config, prepared.split);
  config.spec.mutable_evaluation()->set_coverage(false);
  config.rules.rounds = 2;
  config.rules.canary_share = 0.5;
  config.rules.evaluate_goal = judges;
  config.rules.quorum = judges;
  if (secure) {
    config.spec.mutable_assumed()->set_leak(0x1p-10);
    config.spec.mutable_assumed()->set_abort(0x1p-7);
  } else {
    config.evaluation = {.noise_multiplier = 0.5, .epsilon = 100.0, .delta = 1e-5};
  }
  ASSERT_TRUE(check(config).ok()) << check(config).error().message;
  Loopback loopback(config);
  const auto users = static_cast<std::uint32_t>(prepared.split.train.users());
  FleetOptions options;
  options.workers = 8;
  options.devices = users;
  options.reproducible = true;
  options.policy.evaluation = true;
  options.seconds = 120.0;
  const auto devices = enrol_fleet(options, loopback.tokens(users), loopback.connect());
  ASSERT_TRUE(devices.ok());
  const std::atomic<bool> stop = false;
  const auto newest = [&] { return loopback.ask("versions")[0]; };
  const auto report = run_fleet(prepared.split, options, *devices, loopback.connect(),
                                {.stop = stop, .finished = [&] {
                                   const auto version = newest();
                                   return version.contains("evaluation") && version.contains("beside");
                                 }});
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->objections.empty());
  const nlohmann::json version = newest();
  EXPECT_EQ(version["version"], 2);
  EXPECT_EQ(version["trial"]["state"], "open");
  for (const char* side : {"evaluation", "beside"}) {
    const nlohmann::json& judged = version[side];
    EXPECT_EQ(judged["people"], judges) << side;
    for (const char* metric : {"HR@10", "nDCG@10"}) {
      const double value = judged["metrics"][metric].get<double>();
      const nlohmann::json& interval = judged["intervals"][metric];
      EXPECT_LE(interval[0], value) << side << version;
      EXPECT_GE(interval[1], value) << side << version;
    }
  }
  EXPECT_GT(version["evaluation"]["metrics"]["HR@10"], 0.0) << version;
}

INSTANTIATE_TEST_SUITE_P(InEveryWay, ATrialOverTheWire, testing::Bool(),
                         [](const auto& each) { return each.param ? "InSecureSums" : "WithNoise"; });

}  // namespace
}  // namespace sotto::tests::e2e
