// Training: from a request and a split to a trained model. Federated and central models alike.
//
// Laws: the same request and split give the same model hash; a run that was stopped (Ctrl-C, kill)
// and resumed from its checkpoint ends with the bytes of an undisturbed one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "data/split.h"
#include "engine/plan/model_entry.h"
#include "engine/plan/request.h"
#include "fed/criteria/weighing_collector.h"
#include "metrics/evaluate.h"
#include "model/recommender.h"
#include "sim/round_report.h"

namespace sotto::engine {

// The trained parameters of a factor model or a network. (The others are made from the split.)
struct Parameters {
  RowMatrix items;           // shared
  Private<RowMatrix> users;  // one private row a user; none with MultVAE
  std::vector<RowMatrix> layers =
      {};  // shared: a network's; in a checkpoint also what training carries along
};
// Names what is shared.
[[nodiscard]] std::string hash_shared(const Parameters& parameters);

struct TrainProgress {
  std::uint64_t round = 0;
  std::uint64_t rounds = 0;
  std::uint32_t epoch = 0;  // finished epochs
  std::uint32_t epochs = 0;
  RoundReport since_last;               // since the last call
  double loss = 0.0;                    // mean over since_last
  std::optional<double> validation;     // set when this call follows a look at the validation part
  std::optional<double> accuracy = {};  // of classifiers, where this call follows a look at them
  const nlohmann::json* own = nullptr;  // what else a line of the log says of this model
};

// Where a stopped training stands.
struct Checkpoint {
  std::string request_hash;  // of the request and the split: another run's checkpoint is refused
  std::uint32_t round = 0;
  RoundReport totals;
  std::uint64_t log_lines = 0;
  double seconds = 0.0;
  Parameters now;
  std::vector<std::uint64_t> item_updates;  // so far; empty: not counted
  // Early stopping: the best look so far.
  std::uint32_t best_epoch = 0;
  double best_value = 0.0;
  std::uint32_t looks_without_gain = 0;
  std::optional<Parameters> best;
  std::string own = {};  // what a training with a loop of its own remembers beside
};
[[nodiscard]] Bytes save_checkpoint(const Checkpoint& checkpoint);
[[nodiscard]] Result<Checkpoint> load_checkpoint(std::span<const std::byte> bytes, const std::string& name);

// What the caller wants to hear and to be asked during training. All may be empty.
struct TrainHooks {
  std::function<Status(const TrainProgress&)> on_progress;  // once a log line
  std::function<Status(const Checkpoint&)> on_checkpoint;   // now and then, and when stopped
  std::function<bool()> checkpoint_due;                     // asked between rounds
  const std::atomic<bool>* stop = nullptr;                  // set by Ctrl-C
  Storage* private_memory = nullptr;                        // where FPL's private rows lie; null: the heap
  std::uint64_t log_lines = 0;                              // kept up to date by on_progress' owner
  bool count_updates = false;                               // ask for Trained::item_updates
};

struct Trained {
  std::unique_ptr<Recommender> model;  // refers to the split, which must outlive it
  std::string model_hash;
  std::unique_ptr<Parameters> parameters;  // what a factor model looks at; null for the others
  RoundReport totals;
  std::optional<PrivacySpent> privacy;   // of runs with noise
  std::optional<WeighingTally> weighed;  // of runs with criteria: of the rounds since the last resume
  Schedule schedule;                     // of federated models
  double seconds = 0.0;
  std::optional<std::uint32_t> best_epoch;  // with a validation part looked at: the model is this epoch's
  // How often each item was updated by federated training, over all its rounds. Empty where nobody asked, for
  // central models, and after a resume if the training had begun without counting.
  std::vector<std::uint64_t> item_updates;
  std::shared_ptr<const nlohmann::json> own = {};  // what run.json says of a training with a loop of its own
};

[[nodiscard]] Result<Trained> train(const TrainRequest& request, const Split& split, Executor& executor,
                                    TrainHooks& hooks, std::optional<Checkpoint> resume = std::nullopt);

// Judges what was trained.
[[nodiscard]] Result<Evaluation> judge(const TrainRequest& request, const Split& split,
                                       const Trained& trained, Part part, Executor& executor);

// What a checkpoint belongs to.
[[nodiscard]] std::string request_hash(const TrainRequest& request, const Split& split);

// How a request wants a part to be judged.
[[nodiscard]] EvaluateOptions evaluate_options(const TrainRequest& request, const Split& split, Part part);

// The model again from what a run directory holds.
struct RebuiltModel {
  std::unique_ptr<Parameters> parameters;  // what it looks at; null for models made in one go
  std::unique_ptr<Recommender> model;
  std::string hash;  // as training named it
};
[[nodiscard]] Result<RebuiltModel> rebuild_model(const TrainRequest& request, const Split& split,
                                                 std::optional<Parameters> parameters, Executor& executor);
// The model over trained rows, which outlive it.
[[nodiscard]] Result<std::unique_ptr<Recommender>> view_model(const TrainRequest& request, const Split& split,
                                                              const RowsView& rows, Executor& executor);
[[nodiscard]] RowsView rows_of(const Parameters& parameters);
// A row of the plan's factors and a bias for each item and each user.
[[nodiscard]] std::optional<RowShapes> factor_shapes(const TrainRequest& request, const Split& split);
// How somebody new gets a row of factors.
[[nodiscard]] FoldInOptions fold_in_options(const TrainRequest& request);
// Whether parameters that were read are of the sizes that request and split ask for.
[[nodiscard]] bool fits_model(const TrainRequest& request, const Split& split, const Parameters& parameters);

}  // namespace sotto::engine
