// What the two networks are told, in one place and by federated averaging.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/plan/request.h"
#include "model/central/neural_options.h"

namespace sotto::engine {

struct NetworkSettings {
  NeuralOptions neural;  // epochs and NeuMF's factors are the plan's
  // What a device does in a round of averaging; its batch is the network's.
  std::uint32_t local_epochs = 1;
  std::optional<float> local_rate;  // none: the network's own (engine/models/averaged_networks.h)
  float proximal = 0.0f;
};

// With the plan's factors.
[[nodiscard]] NeuralOptions network_options(const TrainRequest& request);

}  // namespace sotto::engine
