// MultVAE and NeuMF by federated averaging (neural/recommender_tasks.h), seen like any training: devices
// train their copy on what consent lets them speak of and send how it moved; the server goes by the mean.
//
// With one local step and Adam on the server, a round of MultVAE is a central step on a batch of the cohort's
// histories. Criteria, secure sums and ledgers are those of every federated model.
#pragma once

#include <vector>

#include "engine/train/factor_training.h"
#include "neural/training.h"

namespace sotto::engine {

// Unless told: how far a device goes along its gradient, and the server along the mean. MultVAE's loss is of
// a whole history, NeuMF's a mean over interactions. One of Adam's steps is as long as its rate, whatever was
// sent; other steps go by the mean itself.
struct AveragedRates {
  float device, adam;
  float mean = 1.0f;
};
inline constexpr AveragedRates multvae_rates{.device = 0.5f, .adam = 0.003f};
inline constexpr AveragedRates neumf_rates{.device = 5.0f, .adam = 0.01f};

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
