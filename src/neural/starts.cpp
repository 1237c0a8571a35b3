#include "neural/starts.h"

#include "model/averaging/flat_matrices.h"
#include "neural/neumf_step.h"

namespace sotto::neural {

std::vector<MatrixShape> vae_network_shapes(std::size_t catalogue, const MultVaeOptions& options) {
  return multvae_shared_shapes(catalogue, options);
}

std::vector<MatrixShape> neumf_network_shapes(std::size_t users, std::size_t catalogue,
                                              const NeuMfOptions& options) {
  std::vector<MatrixShape> shapes = neumf_shared_shapes(catalogue, options);
  shapes.insert(shapes.begin() + neumf_net_users, {users, neumf_row_width(options)});
  return shapes;
}

void draw_vae(Network& network, const MultVaeOptions& options, std::uint64_t seed) {
  for (std::size_t n = 0; n < network.size(); ++n) draw_vae_matrix(n, network.value(n), options, seed);
}

void draw_neumf_shared(Network& network, std::uint64_t seed) {
  for (std::size_t n = 0; n < network.size(); ++n)
    if (n != neumf_net_users) draw_neumf_matrix(n, network.value(n), seed);
}

}  // namespace sotto::neural
