// One step of NeuMF: the logistic loss of a batch of (user, item, wanted) and its gradient.
//
//   loss = 1/B Σ −[ wanted ln σ(score) + (1 − wanted) ln(1 − σ(score)) ]
//
// The batch is cut into shards of fixed size; each gathers its rows, and autograd does the rest. Law: what
// the shards answer is added in their order, whatever the executor.
#pragma once

#include <cstdint>
#include <vector>

#include "base/executor.h"
#include "data/ids.h"
#include "model/averaging/network_starts.h"
#include "model/central/neural_options.h"
#include "neural/network.h"

namespace sotto::neural {

// Places in the network: item rows, user rows, then the layers of model/central/neumf.h.
inline constexpr std::size_t neumf_net_items = 0;
inline constexpr std::size_t neumf_net_users = neumf_users_matrix;
inline constexpr std::size_t neumf_net_layers = 2;

struct NeuMfExample {
  UserIndex user;
  ItemIndex item;
  float wanted = 0.0f;  // 1: an interaction; 0: drawn
};

// Writes all gradients of the network; returns the summed loss.
[[nodiscard]] double neumf_gradients(Network& network, const NeuMfOptions& options,
                                     const std::vector<NeuMfExample>& batch, Executor& executor);

}  // namespace sotto::neural
