// Versions of classifiers over the wire: judged by the devices, and trained among some that lie.
#include <gtest/gtest.h>

#include "base/row_hash.h"
#include "engine/train/neural_module.h"
#include "fed/models/live_evaluation.h"
#include "host/fleet/fleet_draws.h"
#include "tests/e2e/held_out.h"
#include "tests/neural/classifier_world.h"

namespace sotto::tests::classifiers {
namespace {

// What devices count of the examples that they hold out is what the module counts of them, for a model that
// was trained on the rest.
class ClassifiersJudgedOverTheWire : public testing::TestWithParam<bool> {};

TEST_P(ClassifiersJudgedOverTheWire, HaveTheAccuracyOfACentralEvaluation) {
  const Case one{"", ClassifierKind::dense, 1.0, 0, GetParam()};
  TaskConfig config = task_for(one);
  config.spec.mutable_evaluation()->set_share(0.3f);
  e2e::Loopback loopback(config);
  const NeuralTasks networks;
  const Split split = split_of(std::make_shared<const DealtExamples>(world()));
  const nlohmann::json judged = e2e::judged_over_the_wire(loopback, config, split, fleet_of(one, networks));
  const Task task = *read_task(config.spec);
  std::vector<Dealt::Hand> hands;
  std::size_t held = 0;
  for (std::uint32_t device = 0; device < devices; ++device) {
    std::vector<ItemIndex> own;
    for (const std::uint32_t place : world().dealt.of({device}).train) own.push_back({place});
    Dealt::Hand& hand = hands.emplace_back();
    const std::vector<ItemIndex> out = held_out(*task.evaluation, own, {}, {seed, {device}});
    for (const ItemIndex place : own)
      (std::ranges::binary_search(out, place) ? hand.test : hand.train).push_back(place.value);
    held += hand.test.size();
  }
  EXPECT_EQ(held, devices * 3u) << "three of ten";
  const Dealt dealt(std::move(hands));
  const FederationState state = simulated(one, dealt);
  EXPECT_EQ(loopback.model_hash(), hash_rows(state.shared));
  const auto local =
      (*open_neural_module())->start_classifier(*world().examples, dealt, network_of(one)).value();
  std::uint64_t right = 0;
  for (std::uint32_t device = 0; device < devices; ++device)
    right += local->score({device}, LocalPart::test, {state.shared.row(0), local->parameters()}, {})->right;
  EXPECT_GT(right, 0u);
  EXPECT_EQ(judged["examples"], held);
  EXPECT_EQ(judged["metrics"]["Accuracy"].get<double>(),
            static_cast<double>(right) / static_cast<double>(held));
  EXPECT_EQ(judged["metrics"].size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(InEachSum, ClassifiersJudgedOverTheWire, testing::Bool(),
                         [](const auto& each) { return each.param ? "Secure" : "Plain"; });

// A new version goes to a share of the devices first; both are judged by people of their own.
TEST(ClassifiersOnTrial, AreJudgedBesideTheVersionThatOthersKeep) {
  const Case one{""};
  TaskConfig config = task_for(one);
  config.spec.mutable_evaluation()->set_share(0.3f);
  config.rules.canary_share = 0.5;
  config.rules.quorum = config.rules.evaluate_goal = 4;
  e2e::Loopback loopback(config);
  const NeuralTasks networks;
  FleetOptions options = fleet_of(one, networks);
  options.policy.evaluation = true;
  const auto enrolled = enrol_fleet(options, loopback.tokens(devices), loopback.connect());
  ASSERT_TRUE(enrolled.ok()) << enrolled.error().message;
  const Split split = split_of(std::make_shared<const DealtExamples>(world()));
  const std::atomic<bool> stop = false;
  const auto judged = [&] {
    const nlohmann::json newest = loopback.ask("versions")[0];
    return newest.contains("evaluation") && newest.contains("beside");
  };
  const auto report =
      run_fleet(split, options, *enrolled, loopback.connect(), {.stop = stop, .finished = judged});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const nlohmann::json newest = loopback.ask("versions")[0];
  EXPECT_EQ(newest["trial"]["state"], "open") << newest;
  for (const char* of : {"evaluation", "beside"}) {
    EXPECT_TRUE(newest[of]["metrics"].contains("Accuracy")) << newest;
    EXPECT_EQ(newest[of]["people"], 4) << newest;
    EXPECT_EQ(newest[of]["examples"], 12) << newest;
  }
}

// What some do wrong changes nothing for the others, in each part of a round by criteria.
TEST(ClassifiersInAFleet, LeaveHostileDevicesBehind) {
  const Case one = weighed("", "DS>MWL");
  TaskConfig config = task_for(one);
  config.rules.goal = 12;
  config.rules.quorum = 5;
  config.rules.over_selection = 2.0;
  config.rules.gather_ms = 500;
  config.rules.round_ms = 4'000;
  config.rules.rounds = 0;
  e2e::Loopback loopback(config);
  const NeuralTasks networks;
  FleetOptions options = fleet_of(one, networks);
  options.byzantine = 0.3;
  options.dropout = 0.05;
  const auto enrolled = enrol_fleet(options, loopback.tokens(devices), loopback.connect());
  ASSERT_TRUE(enrolled.ok()) << enrolled.error().message;
  const Split split = split_of(std::make_shared<const DealtExamples>(world()));
  const std::atomic<bool> stop = false;
  const auto report = run_fleet(split, options, *enrolled, loopback.connect(),
                                {.stop = stop, .finished = [&] { return loopback.versions() >= 3; }});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GE(loopback.versions(), 3u);
  EXPECT_FALSE(report->refusals.empty());
  EXPECT_FALSE(report->refusals.contains(v1::REFUSAL_INTERNAL));
  for (const nlohmann::json& each : loopback.ask("devices", {{"most", 100}})) {
    if (each.value("refused", 0) == 0) continue;
    EXPECT_TRUE(FleetDraws(options.seed, "sotto fleet hostile", 0, each["index"].get<std::uint32_t>())
                    .chance(options.byzantine))
        << each.dump();
  }
}

}  // namespace
}  // namespace sotto::tests::classifiers
