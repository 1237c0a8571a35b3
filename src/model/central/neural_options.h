// What a neural model is asked for, and the shapes of its matrices that follow from it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/central/dense_layers.h"

namespace sotto::model {

struct MultVaeOptions {
  std::uint32_t hidden = 600;
  std::uint32_t latent = 200;
  float dropout = 0.5f;              // share of a history's items that a visit of training does not see
  float anneal_cap = 0.2f;           // β: the weight of the divergence at its largest
  std::uint32_t anneal_epochs = 20;  // β rises from 0 over so many epochs
};

struct NeuMfOptions {
  std::uint32_t factors = 8;                         // of the factorisation
  std::vector<std::uint32_t> layers{64, 32, 16, 8};  // the MLP: both vectors together, then each layer
  std::uint32_t negatives = 4;                       // drawn for each interaction
};

// How every network is trained (Adam), and the two networks.
struct NeuralOptions {
  float learning_rate = 0.001f;
  std::uint32_t batch = 500;  // users (MultVAE), interactions with their negatives (NeuMF)
  float l2 = 0.0f;            // adds l2 · w to the gradient of each number w
  MultVaeOptions vae;
  NeuMfOptions neumf;
};

[[nodiscard]] Status check(const NeuralOptions& options);

// Places in MultVAE's list of layers; the output rows, one an item, stand apart (`items` in a run).
enum VaeLayer : std::size_t {
  vae_input,    // one row an item, `hidden` wide, and the bias as the row after the last
  vae_code,     // `latent` neurons for the mean, and as many for the logarithm of the variance
  vae_decoder,  // `hidden` neurons
  vae_layers
};
[[nodiscard]] MatrixShape vae_items_shape(std::size_t catalogue, const MultVaeOptions& options);
[[nodiscard]] std::vector<MatrixShape> vae_layer_shapes(std::size_t catalogue, const MultVaeOptions& options);

// Of an item's and a user's row of NeuMF.
[[nodiscard]] std::size_t neumf_row_width(const NeuMfOptions& options);
// The MLP's layers, then the last neuron.
[[nodiscard]] std::vector<MatrixShape> neumf_layer_shapes(const NeuMfOptions& options);

}  // namespace sotto::model
