#include "engine/train/tail_average.h"

#include <gtest/gtest.h>

#include <string_view>

#include "data/generate.h"

namespace sotto::engine::tail_average_test {
namespace {

Split world() {
  return split_dataset(
             generate_world({.users = 90, .items = 120, .mean_interactions = 20.0, .seed = 6}).value(),
             SplitOptions{})
      .value();
}

TrainRequest request_for(std::string_view model, std::uint32_t epochs, std::uint32_t average_last) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = model;
  EXPECT_TRUE(set_variant(request.plan, "pfpl").ok());
  request.plan.fpl.factors = 5;
  request.plan.epochs = epochs;
  request.average_last = average_last;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

Trained trained_with(const TrainRequest& request, const Split& split) {
  SerialExecutor serial;
  TrainHooks hooks;
  return train(request, split, serial, hooks).value();
}

TEST(TailAverage, IsTheMeanOfTheLastEpochsAndLeavesPeoplesRows) {
  const Split split = world();
  for (const std::string_view model : {"fpl", "bprmf"}) {
    const Trained averaged = trained_with(request_for(model, 7, 3), split);
    const Trained fifth = trained_with(request_for(model, 5, 0), split);
    const Trained sixth = trained_with(request_for(model, 6, 0), split);
    const Trained last = trained_with(request_for(model, 7, 0), split);
    const RowMatrix& mean = averaged.parameters->items;
    for (std::size_t row = 0; row < mean.rows(); ++row)
      for (std::size_t k = 0; k < mean.width(); ++k)
        ASSERT_FLOAT_EQ(mean.row(row)[k],
                        (fifth.parameters->items.row(row)[k] + sixth.parameters->items.row(row)[k] +
                         last.parameters->items.row(row)[k]) /
                            3.0f);
    EXPECT_EQ(hash_rows(averaged.parameters->users.on_device()),
              hash_rows(last.parameters->users.on_device()));
    EXPECT_EQ(averaged.totals.bytes_up, last.totals.bytes_up);
    EXPECT_EQ(trained_with(request_for(model, 7, 1), split).model_hash, last.model_hash);
  }
}

TEST(TailAverage, StoppedAnywhereAndResumedEndsWithTheSameBytes) {
  const Split split = world();
  const TrainRequest request = request_for("fpl", 6, 4);
  const Trained whole = trained_with(request, split);
  SerialExecutor serial;
  const std::uint64_t rounds = whole.totals.rounds;
  for (const std::uint64_t stop_after : {std::uint64_t{1}, rounds / 3, rounds * 2 / 3, rounds - 1}) {
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
    ASSERT_FALSE(train(request, split, serial, hooks).ok());
    TrainHooks again;
    const auto resumed = train(request, split, serial, again, load_checkpoint(saved, "saved").value());
    ASSERT_TRUE(resumed.ok());
    EXPECT_EQ(resumed->model_hash, whole.model_hash);
  }
}

TEST(TailAverage, WhatCannotBeAveragedIsRefused) {
  TrainRequest request = request_for("fpl", 6, 0);
  request.average_last = 7;
  EXPECT_FALSE(settle(request).ok());
  request.average_last = 6;
  EXPECT_TRUE(settle(request).ok());
  request.model = "ials";
  EXPECT_FALSE(settle(request).ok());
  request.model = "fpl";
  request.data.split.validation_share = 0.2;
  request.early = {.metric = "nDCG@10", .every = 1, .patience = 2};
  EXPECT_FALSE(settle(request).ok());
}

}  // namespace
}  // namespace sotto::engine::tail_average_test
