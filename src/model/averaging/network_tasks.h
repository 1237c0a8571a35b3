// NetworkTasks: what trains averaged networks, for those who must not know libtorch: a device that trains
// over a network is given one, or none. The module stands behind it (neural/recommender_tasks.h,
// neural/classifier.h).
#pragma once

#include <memory>

#include "base/result.h"
#include "data/examples/examples.h"
#include "model/averaging/classifier_options.h"
#include "model/averaging/device_histories.h"
#include "model/averaging/local_task.h"
#include "model/central/neural_options.h"
#include "model/server_step.h"

namespace sotto::model {

class NetworkTasks {
 public:
  NetworkTasks() = default;
  NetworkTasks(const NetworkTasks&) = delete;
  NetworkTasks& operator=(const NetworkTasks&) = delete;
  virtual ~NetworkTasks() = default;

  // Whether it can be counted on, at little cost; the error says what to install.
  [[nodiscard]] virtual Status ready() const = 0;
  // The histories outlive the task. Options are checked before.
  [[nodiscard]] virtual Result<std::unique_ptr<LocalTask>> start_fed_multvae(
      const DeviceHistories& histories, std::size_t catalogue, const MultVaeOptions& options) const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<LocalTask>> start_fed_neumf(
      const DeviceHistories& histories, std::size_t catalogue, const NeuMfOptions& options) const = 0;
  // Examples and hands outlive the task. Options are checked here.
  [[nodiscard]] virtual Result<std::unique_ptr<LocalTask>> start_classifier(
      const Examples& examples, const Dealt& hands, const ClassifierOptions& options) const = 0;
};

// Unless told: how far a device goes along its gradient, and the server along the mean. MultVAE's loss is of
// a whole history, NeuMF's a mean over interactions, a classifier's one over examples. One of Adam's steps is
// as long as its rate, whatever was sent; other steps go by the mean itself.
struct AveragedRates {
  float device, adam;
  float mean = 1.0f;

  [[nodiscard]] float of(ServerStep step) const { return step == ServerStep::adam ? adam : mean; }
};
inline constexpr AveragedRates multvae_rates{.device = 0.5f, .adam = 0.003f};
inline constexpr AveragedRates neumf_rates{.device = 5.0f, .adam = 0.01f};
inline constexpr AveragedRates classifier_rates{.device = LocalTraining{}.rate, .adam = 0.01f};

}  // namespace sotto::model
