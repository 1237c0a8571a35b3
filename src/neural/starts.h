// How the networks of recommenders begin, trained in one place (neural/trainings.h) or on devices
// (neural/recommender_tasks.h): the same seed gives the same numbers to both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/central/neural_options.h"
#include "neural/network.h"

namespace sotto::neural {

// In the network's order (neural/vae_step.h, neumf_step.h).
[[nodiscard]] std::vector<MatrixShape> vae_network_shapes(std::size_t catalogue,
                                                          const MultVaeOptions& options);
[[nodiscard]] std::vector<MatrixShape> neumf_network_shapes(std::size_t users, std::size_t catalogue,
                                                            const NeuMfOptions& options);

void draw_vae(Network& network, const MultVaeOptions& options, std::uint64_t seed);
// All but the users' rows, and one of these.
void draw_neumf_shared(Network& network, std::uint64_t seed);
void draw_neumf_user(std::uint32_t user, std::span<float> row, std::uint64_t seed);

}  // namespace sotto::neural
