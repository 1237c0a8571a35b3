// Neural training: what the program sees of the module that trains on libtorch.
//
// The module is a shared library with one symbol, opened only when a neural model is trained (docs/adr/0009).
// Scoring needs it no more: a trained network is rows (model/central/multvae.h, neumf.h).
// Laws: all that is drawn comes from base/rng.h, keyed by the epoch; the same start and epochs give the same
// bytes for any executor on one machine; a restored training goes on as if nothing had happened.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "base/row_matrix.h"
#include "data/examples/examples.h"
#include "data/histories.h"
#include "model/averaging/classifier_options.h"
#include "model/averaging/device_histories.h"
#include "model/averaging/local_task.h"
#include "model/central/neural_options.h"

namespace sotto::neural {

struct NeuralEpoch {
  std::uint64_t examples = 0;   // users (MultVAE), interactions and negatives (NeuMF)
  std::int64_t loss_units = 0;  // Σ loss in units of 2^-20
};

class NeuralTraining {
 public:
  NeuralTraining() = default;
  NeuralTraining(const NeuralTraining&) = delete;
  NeuralTraining& operator=(const NeuralTraining&) = delete;
  virtual ~NeuralTraining() = default;

  // Runs epoch number `epoch` (0, 1, …). Fails where the numbers leave the finite.
  [[nodiscard]] virtual Result<NeuralEpoch> run_epoch(std::uint32_t epoch, Executor& executor) = 0;
  // The model: one row an item, one a user (none for MultVAE), and the layers.
  [[nodiscard]] virtual const RowMatrix& items() const = 0;
  [[nodiscard]] virtual const RowMatrix& users() const = 0;
  [[nodiscard]] virtual std::vector<RowMatrix> layers() const = 0;
  // What the optimiser keeps beside it.
  [[nodiscard]] virtual std::vector<RowMatrix> moments() const = 0;
  // Goes back to what was saved after some epoch, `rest` being layers and then moments. False, and nothing
  // happens, where the sizes are not this training's.
  [[nodiscard]] virtual bool restore(RowMatrix items, RowMatrix users, std::vector<RowMatrix> rest) = 0;
};

class NeuralModule {
 public:
  NeuralModule() = default;
  NeuralModule(const NeuralModule&) = delete;
  NeuralModule& operator=(const NeuralModule&) = delete;
  virtual ~NeuralModule() = default;
  // `train` outlives the training. Options are checked before.
  [[nodiscard]] virtual Result<std::unique_ptr<NeuralTraining>> start_multvae(const Histories& train,
                                                                              std::size_t catalogue,
                                                                              const NeuralOptions& options,
                                                                              std::uint64_t seed) const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<NeuralTraining>> start_neumf(const Histories& train,
                                                                            std::size_t catalogue,
                                                                            const NeuralOptions& options,
                                                                            std::uint64_t seed) const = 0;
  // A classifier for federated averaging. Examples and hands outlive the task; the options are checked here.
  [[nodiscard]] virtual Result<std::unique_ptr<LocalTask>> start_classifier(
      const Examples& examples, const Dealt& hands, const ClassifierOptions& options) const = 0;
  // The recommenders for federated averaging (neural/recommender_tasks.h). The histories outlive the
  // task; the options are checked before.
  [[nodiscard]] virtual Result<std::unique_ptr<LocalTask>> start_fed_multvae(
      const DeviceHistories& histories, std::size_t catalogue, const MultVaeOptions& options) const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<LocalTask>> start_fed_neumf(
      const DeviceHistories& histories, std::size_t catalogue, const NeuMfOptions& options) const = 0;
};

// The module's one symbol. Its name carries the version of all that this header says.
inline constexpr const char* neural_symbol = "sotto_neural_5";
using NeuralFactory = const NeuralModule* (*)();

}  // namespace sotto::neural
