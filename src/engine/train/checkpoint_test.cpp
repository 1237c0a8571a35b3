#include <gtest/gtest.h>

#include <functional>

#include "data/generate.h"
#include "engine/files/stored_rows.h"
#include "engine/train/training.h"

namespace sotto::engine {
namespace {

Split small_world() {
  const Dataset dataset =
      generate_world({.users = 60, .items = 80, .mean_interactions = 12.0, .seed = 3}).value();
  SplitOptions options;
  options.validation_share = 0.2;
  return split_dataset(dataset, options).value();
}

TrainRequest small_request(std::string_view model) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.data.split.validation_share = 0.2;
  request.model = model;
  request.plan.fpl.factors = 4;
  request.plan.epochs = 4;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

// The checkpoint of a training that stops after its first log line.
Checkpoint stopped_checkpoint(const TrainRequest& request, const Split& split) {
  SerialExecutor serial;
  std::atomic<bool> stop = false;
  Bytes saved;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_progress = [&](const TrainProgress&) -> Status { return stop = true, Done{}; };
  hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
    return saved = save_checkpoint(checkpoint), Done{};
  };
  EXPECT_FALSE(train(request, split, serial, hooks).ok());
  return load_checkpoint(saved, "c").value();
}

TEST(CheckpointFile, any_changed_byte_is_refused_with_a_remedy) {
  Checkpoint checkpoint;
  checkpoint.request_hash = "h";
  checkpoint.now.items = RowMatrix(3, 2);
  checkpoint.now.users = Private(RowMatrix(2, 2));
  checkpoint.best = Parameters{RowMatrix(3, 2), Private(RowMatrix(2, 2)), {RowMatrix(2, 3)}};
  const Bytes bytes = save_checkpoint(checkpoint);
  ASSERT_TRUE(load_checkpoint(bytes, "c").ok());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned flip : {1u, 0x80u}) {
      Bytes changed = bytes;
      changed[at] ^= static_cast<std::byte>(flip);
      const auto loaded = load_checkpoint(changed, "c");
      ASSERT_FALSE(loaded.ok()) << at;
      const bool in_version = at >= 4 && at < 8;
      EXPECT_EQ(loaded.error().code, in_version ? Code::incompatible : Code::bad_input) << at;
      EXPECT_NE(loaded.error().message.find("--force"), std::string::npos) << loaded.error().message;
    }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_EQ(load_checkpoint(longer, "c").error().code, Code::bad_input);
}

TEST(CheckpointFile, a_sealed_file_of_another_kind_is_refused) {
  const Stamp one{.magic = 1, .version = 1, .kind = "one", .remedy = "again"};
  const Stamp other{.magic = 2, .version = 1, .kind = "other", .remedy = "again"};
  Writer out = stamped(one);
  out.number(std::uint32_t{7});
  const Bytes bytes = sealed(std::move(out));
  Reader in = unsealed(bytes, one, "f").value();
  EXPECT_EQ(in.number<std::uint32_t>(), 7u);
  EXPECT_TRUE(in.finished());
  EXPECT_EQ(unsealed(bytes, other, "f").error().code, Code::bad_input);
}

TEST(CheckpointFile, a_checkpoint_that_does_not_fit_its_training_is_refused) {
  const Split split = small_world();
  using Change = std::function<void(Checkpoint&)>;
  const auto grown = [](const RowMatrix& rows, std::size_t by_rows, std::size_t by_width) {
    return RowMatrix(rows.rows() + by_rows, rows.width() + by_width);
  };
  const std::vector<Change> changes{
      [](Checkpoint& c) { c.now.items = RowMatrix(c.now.items.width(), c.now.items.rows()); },
      [](Checkpoint& c) { c.now.items = RowMatrix(); },
      [&](Checkpoint& c) { c.now.items = grown(c.now.items, 0, 1); },
      [&](Checkpoint& c) { c.now.users = Private(grown(c.now.users.on_device(), 1, 0)); },
      [&](Checkpoint& c) { c.now.users = Private(grown(c.now.users.on_device(), 0, 1)); },
      [](Checkpoint& c) {
        c.best = Parameters{RowMatrix(1, 1), Private(RowMatrix(1, 1)), {}};
      },
      [](Checkpoint& c) { c.now.layers = {RowMatrix(1, 3)}; },
      [](Checkpoint& c) {
        c.item_updates = {1, 2};
      },
      [](Checkpoint& c) { c.round = 4'000'000'000; }};
  SerialExecutor serial;
  for (const std::string_view model : {"fpl", "bprmf", "fcf", "mf"}) {
    const TrainRequest request = small_request(model);
    TrainHooks hooks;
    EXPECT_TRUE(train(request, split, serial, hooks, stopped_checkpoint(request, split)).ok());
    for (std::size_t n = 0; n < changes.size(); ++n) {
      Checkpoint checkpoint = stopped_checkpoint(request, split);
      changes[n](checkpoint);
      const auto trained = train(request, split, serial, hooks, std::move(checkpoint));
      ASSERT_FALSE(trained.ok()) << n;
      EXPECT_EQ(trained.error().code, Code::bad_input) << n;
      EXPECT_NE(trained.error().message.find("--force"), std::string::npos);
    }
  }
}

// A classifier's says of every round how many examples each device has right: megabytes.
TEST(CheckpointFile, WhatAModelKeepsForItselfMayBeLong) {
  Checkpoint checkpoint;
  checkpoint.own.assign(std::size_t{3} << 20, 'r');
  const auto loaded = load_checkpoint(save_checkpoint(checkpoint), "c");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->own, checkpoint.own);
}

TEST(CheckpointFile, every_factor_model_ends_with_the_bytes_of_an_undisturbed_run) {
  const Split split = small_world();
  SerialExecutor serial;
  for (const std::string_view model : {"fpl", "bprmf", "ials", "fedals", "fcf", "warp", "mf"}) {
    const TrainRequest request = small_request(model);
    TrainHooks hooks;
    const Trained whole = train(request, split, serial, hooks).value();
    const Trained resumed = train(request, split, serial, hooks, stopped_checkpoint(request, split)).value();
    EXPECT_EQ(resumed.model_hash, whole.model_hash) << model;
    EXPECT_EQ(hash_rows(resumed.parameters->users.on_device()),
              hash_rows(whole.parameters->users.on_device()))
        << model;
    EXPECT_EQ(resumed.totals.loss_units, whole.totals.loss_units) << model;
  }
}

// A training that has stopped early may still be cut off while it is judged.
TEST(CheckpointFile, the_last_checkpoint_of_an_early_stop_is_its_end) {
  const Split split = small_world();
  TrainRequest request = small_request("bprmf");
  request.plan.epochs = 200;
  request.early = {.metric = "nDCG@10", .every = 1, .patience = 1};
  SerialExecutor serial;
  Bytes saved;
  TrainHooks hooks;
  hooks.on_checkpoint = [&](const Checkpoint& checkpoint) -> Status {
    return saved = save_checkpoint(checkpoint), Done{};
  };
  const Trained whole = train(request, split, serial, hooks).value();
  ASSERT_LT(whole.totals.rounds, 200u);
  ASSERT_FALSE(saved.empty());
  TrainHooks none;
  const Trained resumed = train(request, split, serial, none, load_checkpoint(saved, "c").value()).value();
  EXPECT_EQ(resumed.totals.rounds, whole.totals.rounds);
  EXPECT_EQ(resumed.model_hash, whole.model_hash);
}

}  // namespace
}  // namespace sotto::engine
