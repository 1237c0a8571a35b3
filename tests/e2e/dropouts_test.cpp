// Rounds of several parts over the wire, with devices that drop out.
#include "fed/models/task_models.h"
#include "tests/e2e/loopback.h"
#include "tests/e2e/weighed_training.h"

namespace sotto::tests::e2e {
namespace {

// Devices fall silent at any step of both parts: a round that ends is of those who stayed, and the popular
// items are some of the catalogue's; one in which few leave between the parts is given up and begun again.
TEST(PopularItemsOverTheWire, TrainThoughDevicesDropOut) {
  const Case one{"", 1.0, MaskKind::sticky, 0, true, &fedease_task, 20};
  const Prepared prepared = world();
  TaskConfig config = task_for(one, prepared.split);
  v1::SumAssumed& assumed = *config.spec.mutable_assumed();
  assumed.set_corrupt(0.0);
  assumed.set_dropped(0.4);
  assumed.set_crowd(2);
  config.rules.goal = 30;
  config.rules.quorum = 15;
  config.rules.over_selection = 1.5;
  config.rules.gather_ms = 300;
  config.rules.phase_ms = 1'000;
  config.rules.round_ms = 30'000;
  Loopback loopback(config);
  FleetOptions options;
  options.devices = static_cast<std::uint32_t>(prepared.split.train.users());
  options.workers = 8;
  options.reproducible = true;
  options.dropout = 0.1;
  options.seconds = 240.0;
  const auto devices = enrol_fleet(options, loopback.tokens(options.devices), loopback.connect());
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  const std::atomic<bool> stop = false;
  const auto report = run_fleet(prepared.split, options, *devices, loopback.connect(),
                                {.stop = stop, .finished = [&] { return loopback.versions() == 2; }});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(loopback.versions(), 2u);
  EXPECT_GE(loopback.ask("versions")[0].value("contributions", 0u), config.rules.quorum);
  const Task task = *read_task(config.spec);
  const RowMatrix rows = *read_published(loopback.blob(loopback.ask("export")["encoded"].get<std::string>()),
                                         {task.shape().rows, task.shape().width, v1::PRECISION_F32});
  const auto own = prepared.split.train.of(UserIndex{0});
  const Histories history({0, own.size()}, {own.begin(), own.end()});
  EXPECT_TRUE(task.model->answers({task, rows, history, nullptr}).ok());
}

// Liars are refused, and who falls silent between two of the four parts is in none of the later ones.
TEST(CriteriaOverTheWire, TrainThoughDevicesLieAndDropOut) {
  const Case one = weighed("", "size>recency", &fpl_task);
  const Prepared prepared = world();
  TaskConfig config = task_for(one, prepared.split);
  config.rules.goal = 20;
  config.rules.quorum = 5;
  config.rules.over_selection = 2.0;
  config.rules.gather_ms = 300;
  config.rules.round_ms = 4'000;
  config.rules.rounds = 0;
  Loopback loopback(config);
  FleetOptions options;
  options.devices = static_cast<std::uint32_t>(prepared.split.train.users());
  options.workers = 8;
  options.reproducible = true;
  options.policy = policy_of(one);
  options.byzantine = 0.2;
  options.dropout = 0.1;
  options.seconds = 120.0;
  const auto devices = enrol_fleet(options, loopback.tokens(options.devices), loopback.connect());
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  const std::atomic<bool> stop = false;
  const auto report = run_fleet(prepared.split, options, *devices, loopback.connect(),
                                {.stop = stop, .finished = [&] { return loopback.versions() >= 3; }});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GE(loopback.versions(), 3u);
  EXPECT_TRUE(report->refusals.contains(v1::REFUSAL_BAD_MESSAGE));
  EXPECT_FALSE(report->refusals.contains(v1::REFUSAL_INTERNAL));
}

}  // namespace
}  // namespace sotto::tests::e2e
