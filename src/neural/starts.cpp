#include "neural/starts.h"

#include <algorithm>

#include "base/rng.h"
#include "model/averaging/flat_matrices.h"
#include "neural/neumf_step.h"
#include "neural/vae_step.h"

namespace sotto::neural {

namespace {

constexpr float embedding_sd = 0.01f;  // as He et al. start

}  // namespace

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
  SerialExecutor serial;
  const std::size_t hidden = options.hidden, latent = options.latent;
  const std::size_t catalogue = network.value(vae_net_items).rows();
  draw_layer(network.value(vae_net_items), hidden, catalogue, hidden, seed, vae_net_items, serial);
  const auto draw = [&](VaeLayer layer, std::size_t in, std::size_t out, std::size_t columns) {
    const std::size_t at = vae_net_layers + layer;
    draw_layer(network.value(at), in, out, columns, seed, static_cast<std::uint32_t>(at), serial);
  };
  draw(vae_input, catalogue, hidden, hidden);
  std::ranges::fill(network.value(vae_net_layers + vae_input).values(catalogue), 0.0f);  // the bias
  draw(vae_code, hidden, 2 * latent, hidden);
  draw(vae_decoder, latent, hidden, latent);
}

void draw_neumf_shared(Network& network, std::uint64_t seed) {
  SerialExecutor serial;
  draw_rows(network.value(neumf_net_items), embedding_sd, seed, neumf_net_items, serial);
  for (std::size_t n = neumf_net_layers; n < network.size(); ++n) {
    RowMatrix& layer = network.value(n);
    const std::size_t in = layer.width() - 1;
    draw_layer(layer, in, layer.rows(), in, seed, static_cast<std::uint32_t>(n), serial);
  }
}

void draw_neumf_user(std::uint32_t user, std::span<float> row, std::uint64_t seed) {
  Stream stream(seed, Purpose::neural_init, neumf_net_users, user);
  for (float& value : row) value = embedding_sd * static_cast<float>(stream.normal());
}

}  // namespace sotto::neural
