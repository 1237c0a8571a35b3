// The networks of recommenders as torch trains them, and how they begin (model/averaging/network_starts.h).
#pragma once

#include <cstdint>
#include <vector>

#include "model/averaging/network_starts.h"
#include "neural/network.h"

namespace sotto::neural {

// In the network's order (neural/vae_step.h, neumf_step.h).
[[nodiscard]] std::vector<MatrixShape> vae_network_shapes(std::size_t catalogue,
                                                          const MultVaeOptions& options);
[[nodiscard]] std::vector<MatrixShape> neumf_network_shapes(std::size_t users, std::size_t catalogue,
                                                            const NeuMfOptions& options);

void draw_vae(Network& network, const MultVaeOptions& options, std::uint64_t seed);
// All but the users' rows.
void draw_neumf_shared(Network& network, std::uint64_t seed);

}  // namespace sotto::neural
