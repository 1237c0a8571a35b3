// MultVAE and NeuMF by federated averaging (neural/recommender_tasks.h), seen like any training: devices
// train their copy on what consent lets them speak of and send how it moved; the server goes by the mean.
//
// With one local step and Adam on the server, a round of MultVAE is a central step on a batch of the cohort's
// histories. Criteria, secure sums and ledgers are those of every federated model.
#pragma once

#include <vector>

#include "engine/train/factor_training.h"
#include "model/averaging/network_tasks.h"
#include "neural/training.h"

namespace sotto::engine {

// The network, and what sets it apart.
struct AveragedNetwork {
  AveragedRates rates;
  std::vector<MatrixShape> (*shapes)(const TrainRequest& request, std::size_t catalogue);
  Result<std::unique_ptr<LocalTask>> (*task)(const NeuralModule& module, const DeviceHistories& histories,
                                             std::size_t catalogue, const NeuralOptions& options,
                                             const Schedule& schedule);
};

// Fails where the settings of an averaged network cannot be.
[[nodiscard]] Status check_averaged(const TrainRequest& request, const AveragedRates& usual);

// Opens the neural module; fails with a sentence where it is not there. The request has everybody's terms
// (with_people).
[[nodiscard]] Result<std::unique_ptr<FactorTraining>> start_averaged_network(const AveragedNetwork& network,
                                                                             const TrainRequest& request,
                                                                             const Split& split,
                                                                             Executor& executor);

}  // namespace sotto::engine
