#include "model/averaging/network_starts.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/rng.h"

namespace sotto::model {

namespace {

constexpr float embedding_sd = 0.01f;  // as He et al. start

Stream draws_of(std::uint64_t seed, std::size_t matrix, std::size_t row) {
  return {seed, Purpose::neural_init, static_cast<std::uint32_t>(matrix), static_cast<std::uint32_t>(row)};
}

// Uniform in ±√(6 / (in + out)) with biases (the last column) 0 (Glorot and Bengio 2010). Matrix and row name
// the draws.
void draw_layer(std::size_t n, RowMatrix& layer, std::size_t in, std::size_t out, std::size_t drawn_columns,
                std::uint64_t seed) {
  const double limit = std::sqrt(6.0 / static_cast<double>(in + out));
  for (std::size_t row = 0; row < layer.rows(); ++row) {
    Stream stream = draws_of(seed, n, row);
    for (float& value : layer.values(row).first(drawn_columns))
      value = static_cast<float>(limit * (static_cast<double>(stream.next_u32()) * 0x1.0p-31 - 1.0));
  }
}

void draw_embedding(Stream stream, std::span<float> row) {
  for (float& value : row) value = embedding_sd * static_cast<float>(stream.normal());
}

}  // namespace

void draw_vae_matrix(std::size_t n, RowMatrix& matrix, const MultVaeOptions& options, std::uint64_t seed) {
  const std::size_t hidden = options.hidden, latent = options.latent;
  if (n == 0) return draw_layer(n, matrix, hidden, matrix.rows(), hidden, seed);
  switch (static_cast<VaeLayer>(n - 1)) {
    case vae_input:
      draw_layer(n, matrix, matrix.rows() - 1, hidden, hidden, seed);
      std::ranges::fill(matrix.values(matrix.rows() - 1), 0.0f);  // the bias
      return;
    case vae_code:
      return draw_layer(n, matrix, hidden, 2 * latent, hidden, seed);
    case vae_decoder:
      return draw_layer(n, matrix, latent, hidden, latent, seed);
    case vae_layers:
      break;
  }
  SOTTO_ASSERT(false, "MultVAE has no such matrix");
}

void draw_neumf_matrix(std::size_t n, RowMatrix& matrix, std::uint64_t seed) {
  SOTTO_ASSERT(n != neumf_users_matrix, "users' rows are drawn one by one");
  if (n > 0) return draw_layer(n, matrix, matrix.width() - 1, matrix.rows(), matrix.width() - 1, seed);
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    draw_embedding(draws_of(seed, n, row), matrix.values(row));
}

void draw_neumf_user(std::uint32_t user, std::span<float> row, std::uint64_t seed) {
  draw_embedding(draws_of(seed, neumf_users_matrix, user), row);
}

// Normal with variance 2 / (in + out) of what a weight meets (Glorot and Bengio 2010), biases 0.
void draw_classifier_layer(std::size_t n, const ClassifierLayer& layer, std::span<float> flat,
                           std::uint64_t seed) {
  SOTTO_ASSERT(flat.size() == layer.parameters(), "a layer has its weights and its biases");
  const double sd = std::sqrt(2.0 / static_cast<double>((layer.in + layer.out) * layer.taps()));
  Stream stream(seed, Purpose::local_init, 0, static_cast<std::uint32_t>(n));
  for (float& weight : flat.first(layer.weights())) weight = static_cast<float>(sd * stream.normal());
  std::ranges::fill(flat.subspan(layer.weights()), 0.0f);
}

}  // namespace sotto::model
