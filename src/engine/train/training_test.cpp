#include "engine/train/training.h"

#include <gtest/gtest.h>

#include <string_view>

#include "data/generate.h"
#include "metrics/evaluate.h"
#include "sim/thread_pool.h"

namespace sotto::engine::training_test {
namespace {

Split world_with_validation() {
  const Dataset dataset =
      generate_world({.users = 150, .items = 200, .mean_interactions = 20.0, .seed = 3}).value();
  SplitOptions options;
  options.validation_share = 0.2;
  return split_dataset(dataset, options).value();
}

TrainRequest request_for(std::string_view model, const char* variant = "sfpl+") {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.data.split.validation_share = 0.2;
  request.model = model;
  EXPECT_TRUE(set_variant(request.plan, variant).ok());
  request.plan.fpl.factors = 6;
  request.plan.epochs = 6;
  request.plan.consent = {0.5, MaskKind::redraw};
  EXPECT_TRUE(settle(request).ok());
  return request;
}

// The bytes that a checkpoint of the end would hold: both halves of the model.
std::string fingerprint(const Trained& trained) {
  return trained.model_hash + hash_rows(trained.parameters->users.on_device()) +
         std::to_string(trained.totals.loss_units) + "/" + std::to_string(trained.totals.bytes_up);
}

TEST(Training, StoppedAnywhereAndResumedEndsWithTheSameBytes) {
  const Split split = world_with_validation();
  SerialExecutor serial;
  for (const std::string_view model : {"fpl", "bprmf"}) {
    TrainRequest request = request_for(model);
    request.early = {.metric = "nDCG@10", .every = 1, .patience = 50};
    TrainHooks undisturbed_hooks;
    const Trained undisturbed = train(request, split, serial, undisturbed_hooks).value();
    for (const std::uint64_t stop_after : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{5}}) {
      std::atomic<bool> stop = false;
      std::uint64_t calls = 0;
      Bytes saved;
      TrainHooks hooks;
      hooks.stop = &stop;
      hooks.on_progress = [&](const TrainProgress&) -> Status {
        if (++calls == stop_after) stop = true;
        return Done{};
      };
      hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
        saved = save_checkpoint(checkpoint);
        return Done{};
      };
      const auto stopped = train(request, split, serial, hooks);
      ASSERT_FALSE(stopped.ok());
      EXPECT_EQ(stopped.error().code, Code::cancelled);
      ASSERT_FALSE(saved.empty());
      TrainHooks resumed_hooks;
      const auto resumed = train(request, split, serial, resumed_hooks, load_checkpoint(saved, "c").value());
      ASSERT_TRUE(resumed.ok()) << resumed.error().message;
      EXPECT_EQ(fingerprint(*resumed), fingerprint(undisturbed)) << model << ' ' << stop_after;
      EXPECT_EQ(resumed->best_epoch, undisturbed.best_epoch);
    }
  }
}

// Trains until the first log line and returns the checkpoint.
Checkpoint stopped_training(const TrainRequest& request, const Split& split, bool count_updates) {
  SerialExecutor serial;
  std::atomic<bool> stop = false;
  Bytes saved;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.count_updates = count_updates;
  hooks.on_progress = [&](const TrainProgress&) -> Status { return stop = true, Done{}; };
  hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
    return saved = save_checkpoint(checkpoint), Done{};
  };
  EXPECT_FALSE(train(request, split, serial, hooks).ok());
  return load_checkpoint(saved, "c").value();
}

TEST(Training, UpdatesAreCountedWhenAskedAndOverAResume) {
  const Split split = world_with_validation();
  SerialExecutor serial;
  const TrainRequest request = request_for("fpl", "pfpl+");
  TrainHooks asks, silent;
  asks.count_updates = true;
  const Trained whole = train(request, split, serial, asks).value();
  ASSERT_EQ(whole.item_updates.size(), split.catalogue);
  std::uint64_t sum = 0;
  for (const std::uint64_t updates : whole.item_updates) sum += updates;
  EXPECT_GT(sum, whole.totals.triples);  // every negative, and about half of the positives
  EXPECT_LT(sum, 2 * whole.totals.triples);
  EXPECT_TRUE(train(request, split, serial, silent)->item_updates.empty());
  EXPECT_TRUE(train(request_for("bprmf"), split, serial, asks)->item_updates.empty());

  const auto resumed = [&](TrainHooks& hooks, bool counted_before) {
    return train(request, split, serial, hooks, stopped_training(request, split, counted_before))
        ->item_updates;
  };
  EXPECT_EQ(resumed(asks, true), whole.item_updates);
  EXPECT_TRUE(resumed(asks, false).empty());
  EXPECT_TRUE(resumed(silent, true).empty());
}

TEST(Training, ACheckpointOfAnotherPlanIsRefused) {
  const Split split = world_with_validation();
  SerialExecutor serial;
  Bytes saved;
  std::atomic<bool> stop = true;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
    saved = save_checkpoint(checkpoint);
    return Done{};
  };
  ASSERT_FALSE(train(request_for("fpl"), split, serial, hooks).ok());
  TrainHooks none;
  const auto other =
      train(request_for("fpl", "pfpl"), split, serial, none, load_checkpoint(saved, "c").value());
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, Code::incompatible);
}

TEST(Training, DamagedCheckpointsAreRefused) {
  Checkpoint checkpoint;
  checkpoint.request_hash = "h";
  checkpoint.now.items = RowMatrix(3, 2);
  checkpoint.now.users = Private(RowMatrix(2, 2));
  const Bytes bytes = save_checkpoint(checkpoint);
  ASSERT_TRUE(load_checkpoint(bytes, "c").ok());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(load_checkpoint(std::span(bytes).first(size), "c").ok()) << size;
  Bytes newer = bytes;
  newer[4] = std::byte{9};
  EXPECT_EQ(load_checkpoint(newer, "c").error().code, Code::incompatible);
}

TEST(Training, EarlyStoppingKeepsTheLowestWhereLessIsBetter) {
  const Split split = world_with_validation();
  TrainRequest request = request_for("bprmf");
  request.plan.epochs = 12;
  request.early = {.metric = "ARP@10", .every = 1, .patience = 12};
  std::vector<double> looks;
  TrainHooks hooks;
  hooks.on_progress = [&](const TrainProgress& progress) -> Status {
    if (progress.validation) looks.push_back(*progress.validation);
    return Done{};
  };
  SerialExecutor serial;
  const Trained trained = train(request, split, serial, hooks).value();
  ASSERT_EQ(looks.size(), 12u);
  const auto lowest = std::min_element(looks.begin(), looks.end()) - looks.begin();
  ASSERT_NE(lowest, std::max_element(looks.begin(), looks.end()) - looks.begin());
  EXPECT_EQ(trained.best_epoch, static_cast<std::uint32_t>(lowest) + 1);
}

TEST(Training, EarlyStoppingKeepsTheBestEpoch) {
  const Split split = world_with_validation();
  SerialExecutor serial;
  TrainRequest request = request_for("fpl", "pfpl+");
  request.plan.epochs = 60;
  request.early = {.metric = "nDCG@10", .every = 1, .patience = 3};
  std::vector<double> looks;
  TrainHooks hooks;
  hooks.on_progress = [&](const TrainProgress& progress) -> Status {
    if (progress.validation) looks.push_back(*progress.validation);
    return Done{};
  };
  const Trained trained = train(request, split, serial, hooks).value();
  ASSERT_TRUE(trained.best_epoch.has_value());
  const auto best = static_cast<std::size_t>(std::max_element(looks.begin(), looks.end()) - looks.begin());
  EXPECT_EQ(*trained.best_epoch, best + 1);
  ASSERT_LT(looks.size(), 60u);  // it did stop early
  EXPECT_EQ(looks.size(), best + 1 + 3);
  EvaluateOptions options;
  options.part = Part::validation;
  EXPECT_EQ(evaluate(*trained.model, split, options, serial)->find("nDCG@10"), looks[best]);
}

TEST(Training, AnUnknownMetricIsAnError) {
  const Split split = world_with_validation();
  SerialExecutor serial;
  TrainRequest request = request_for("fpl");
  request.early = {.metric = "Luck@10", .every = 1, .patience = 1};
  TrainHooks hooks;
  const auto trained = train(request, split, serial, hooks);
  ASSERT_FALSE(trained.ok());
  EXPECT_NE(trained.error().message.find("Luck@10"), std::string::npos);
}

TEST(Training, EveryModelTrainsAndHasAStableName) {
  const Split split = world_with_validation();
  ThreadPool one(1);
  ThreadPool three(3);
  for (const std::string_view model : {"fpl", "bprmf", "toppop", "random", "userknn", "itemknn", "ease",
                                       "slim", "rp3beta", "fedease", "feditemknn", "fedrp3beta"}) {
    const TrainRequest request = request_for(model, "pfpl+");
    TrainHooks hooks;
    const Trained a = train(request, split, one, hooks).value();
    const Trained b = train(request, split, three, hooks).value();
    EXPECT_EQ(a.model_hash.size(), 64u);
    EXPECT_EQ(a.model_hash, b.model_hash) << model;
    std::optional<Parameters> parameters;
    if (a.parameters)
      parameters = Parameters{a.parameters->items, Private(a.parameters->users.on_device()), {}};
    const RebuiltModel again = rebuild_model(request, split, std::move(parameters), one).value();
    EXPECT_EQ(again.hash, a.model_hash);
    EXPECT_EQ(evaluate(*again.model, split, {}, one)->find("nDCG@10"),
              evaluate(*a.model, split, {}, one)->find("nDCG@10"));
  }
}

TEST(Training, TheWireGivesTheSameModel) {
  const Split split = world_with_validation();
  SerialExecutor serial;
  TrainRequest request = request_for("fpl", "pfpl");
  TrainHooks hooks;
  const std::string fast = fingerprint(train(request, split, serial, hooks).value());
  request.wire = true;
  EXPECT_EQ(fingerprint(train(request, split, serial, hooks).value()), fast);
}

}  // namespace
}  // namespace sotto::engine::training_test
