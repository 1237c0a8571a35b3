// One step of MultVAE: the loss of a batch of users and its gradient.
//
//   loss = 1/B Σ_u [ −Σ_{i in history} ln softmax(scores)_i + β KL(N(mean, variance) ‖ N(0, 1)) ]
//
// The sparse first layer and the wide last one are cut into pieces of fixed size, and their gradients written
// down here; autograd does what lies between. Law: the sums go in one order, whatever the executor.
#pragma once

#include <cstdint>
#include <vector>

#include "base/executor.h"
#include "data/ids.h"
#include "neural/network.h"

namespace sotto::neural {

// Places in the network: the output rows, then the layers of model/central/multvae.h.
inline constexpr std::size_t vae_net_items = 0;
inline constexpr std::size_t vae_net_layers = 1;

struct VaeBatch {
  std::vector<std::uint64_t> offsets{0};  // of each user in `items`, and the end
  std::vector<ItemIndex> items;           // the histories, ascending
  std::vector<float> inputs;              // what of each item goes in: 1/√|history|, 0 where dropped
  RowMatrix noise;                        // one row a user, `latent` wide, N(0, 1)

  [[nodiscard]] std::size_t users() const { return offsets.size() - 1; }
};

struct VaeLoss {  // sums over the batch
  double reconstruction = 0.0;
  double divergence = 0.0;
};

// Writes all gradients of the network.
[[nodiscard]] VaeLoss vae_gradients(Network& network, const VaeBatch& batch, float beta, Executor& executor);

}  // namespace sotto::neural
