// The models whose training goes step by step over two matrices (FPL, BPR-MF, iALS, …), and networks with
// layers beside them, seen alike: they can be advanced, looked at, saved and restored. Everything they draw
// is keyed by the round, so a restored training goes on as if nothing had happened.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "engine/train/training.h"
#include "fed/collector.h"

namespace sotto::engine {

class FactorTraining {
 public:
  FactorTraining() = default;
  FactorTraining(const FactorTraining&) = delete;
  FactorTraining& operator=(const FactorTraining&) = delete;
  virtual ~FactorTraining() = default;

  [[nodiscard]] virtual const Schedule& schedule() const = 0;  // central models: an epoch is one round
  // What differential privacy has cost so far; none where there is no noise.
  [[nodiscard]] virtual std::optional<PrivacySpent> privacy() const { return std::nullopt; }
  // What weighing by criteria has come to in the rounds made here, without those before a resume; none
  // without criteria.
  [[nodiscard]] virtual std::optional<WeighingTally> weighed() const { return std::nullopt; }
  // The rounds of a training that is to be restored count in it.
  [[nodiscard]] virtual Status count_before(std::uint32_t /*rounds*/) { return Done{}; }
  // Of federated models: from now on every contribution goes through the collector, in place of the request's
  // own protections; it outlives the training. Its shape is that of items().
  virtual void collect_with(Collector& collector);
  [[nodiscard]] virtual Result<RoundReport> advance(std::uint32_t rounds) = 0;
  [[nodiscard]] virtual std::uint32_t round() const = 0;
  [[nodiscard]] virtual const RowMatrix& items() const = 0;
  [[nodiscard]] virtual const RowMatrix& users() const = 0;  // private rows; they stay in this process
  // Of a network: its layers.
  [[nodiscard]] virtual std::vector<RowMatrix> layers() const { return {}; }
  // What training carries along and the model does not need, such as an optimiser's moments.
  [[nodiscard]] virtual std::vector<RowMatrix> moments() const { return {}; }
  // `parameters.layers` are layers and then moments.
  virtual void restore(std::uint32_t round, Parameters parameters) = 0;
  // The model over matrices that outlive it, where the training knows what else it needs; else nothing.
  [[nodiscard]] virtual std::unique_ptr<Recommender> view(const RowMatrix& /*users*/,
                                                          const RowMatrix& /*items*/) const {
    return nullptr;
  }
  // The parameters for good; the training is used up.
  [[nodiscard]] virtual Parameters take() = 0;
  // FplFederation::count_updates and item_updates; a central model has nothing to count.
  virtual void count_updates(std::vector<std::uint64_t> /*so_far*/) {}
  [[nodiscard]] virtual std::vector<std::uint64_t> item_updates() const { return {}; }
};

// How a model that needs more than its two matrices is seen over them.
template <class Model>
using ModelView = std::unique_ptr<Recommender> (*)(const Model& model, const RowMatrix& users,
                                                   const RowMatrix& items);

// The training that the request asks for, which is one in steps. FPL's private rows lie in `private_memory`,
// or on the heap.
[[nodiscard]] Result<std::unique_ptr<FactorTraining>> start_factor_training(
    const TrainRequest& request, const Split& split, Executor& executor, Storage* private_memory = nullptr);

}  // namespace sotto::engine
