#include "neural/vae_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "model/central/neural_options.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::neural::vae_step_test {
namespace {

constexpr MultVaeOptions tiny{.hidden = 5, .latent = 3};

Network tiny_network(std::size_t catalogue) {
  std::vector<MatrixShape> shapes{vae_items_shape(catalogue, tiny)};
  for (const MatrixShape& shape : vae_layer_shapes(catalogue, tiny)) shapes.push_back(shape);
  Network network(shapes);
  Stream stream(3, Purpose::neural_init);
  for (std::size_t n = 0; n < network.size(); ++n)
    for (std::size_t row = 0; row < network.value(n).rows(); ++row)
      for (float& value : network.value(n).values(row)) value = static_cast<float>(0.5 * stream.normal());
  return network;
}

// Histories of several lengths, some inputs dropped, noise for everyone.
VaeBatch batch_of(std::size_t users, std::uint32_t catalogue) {
  VaeBatch batch;
  Stream stream(5, Purpose::neural_noise);
  batch.noise = RowMatrix(users, tiny.latent);
  for (std::size_t user = 0; user < users; ++user) {
    for (std::uint32_t item = 0; item < catalogue; ++item)
      if (stream.chance(0.4)) {
        batch.items.push_back(ItemIndex{item});
        batch.inputs.push_back(stream.chance(0.5) ? 0.0f : 0.7f);
      }
    batch.offsets.push_back(batch.items.size());
    for (float& value : batch.noise.values(user)) value = static_cast<float>(stream.normal());
  }
  return batch;
}

// The loss by its definition, in double, one user at a time.
struct SlowLoss {
  const std::vector<std::vector<std::vector<double>>>& w;  // matrix, row, place

  [[nodiscard]] VaeLoss of(const VaeBatch& batch) const {
    VaeLoss loss;
    for (std::size_t user = 0; user < batch.users(); ++user) add(batch, user, loss);
    return loss;
  }
  void add(const VaeBatch& batch, std::size_t user, VaeLoss& loss) const {
    const auto &output = w[vae_net_items], &input = w[vae_net_layers + vae_input];
    std::vector<double> h = input.back();
    for (std::size_t at = batch.offsets[user]; at < batch.offsets[user + 1]; ++at)
      for (std::size_t k = 0; k < h.size(); ++k)
        h[k] += static_cast<double>(batch.inputs[at]) * input[batch.items[at].value][k];
    for (double& value : h) value = std::tanh(value);
    const std::vector<double> code = layer(w[vae_net_layers + vae_code], h);
    std::vector<double> z;
    for (std::size_t k = 0; k < tiny.latent; ++k) {
      const double mean = code[k], variance = std::exp(code[tiny.latent + k]);
      z.push_back(mean + static_cast<double>(batch.noise.row(user)[k]) * std::sqrt(variance));
      loss.divergence += 0.5 * (variance + mean * mean - 1.0 - std::log(variance));
    }
    std::vector<double> g = layer(w[vae_net_layers + vae_decoder], z);
    for (double& value : g) value = std::tanh(value);
    const std::vector<double> scores = layer(output, g);
    double sum = 0.0;
    for (const double score : scores) sum += std::exp(score);
    for (std::size_t at = batch.offsets[user]; at < batch.offsets[user + 1]; ++at)
      loss.reconstruction -= std::log(std::exp(scores[batch.items[at].value]) / sum);
  }
  static std::vector<double> layer(const std::vector<std::vector<double>>& rows,
                                   const std::vector<double>& x) {
    std::vector<double> out;
    for (const auto& row : rows) {
      out.push_back(row.back());
      for (std::size_t k = 0; k < x.size(); ++k) out.back() += row[k] * x[k];
    }
    return out;
  }
};

std::vector<std::vector<std::vector<double>>> in_double(const Network& network) {
  std::vector<std::vector<std::vector<double>>> all(network.size());
  for (std::size_t n = 0; n < network.size(); ++n)
    for (std::size_t row = 0; row < network.value(n).rows(); ++row) {
      const auto values = network.value(n).values(row);
      all[n].emplace_back(values.begin(), values.end());
    }
  return all;
}

TEST(VaeStep, LossIsTheElboByItsDefinition) {
  // 300 items are two blocks of scores, 70 users two shards.
  Network network = tiny_network(300);
  const VaeBatch batch = batch_of(70, 300);
  SerialExecutor serial;
  const VaeLoss found = vae_gradients(network, batch, 0.3f, serial);
  const auto weights = in_double(network);
  const VaeLoss slow = SlowLoss{weights}.of(batch);
  EXPECT_NEAR(found.reconstruction / slow.reconstruction, 1.0, 1e-5);
  EXPECT_NEAR(found.divergence / slow.divergence, 1.0, 1e-5);
}

TEST(VaeStep, GradientsAreTheDifferencesOfTheLoss) {
  Network network = tiny_network(300);
  const VaeBatch batch = batch_of(70, 300);
  SerialExecutor serial;
  const double beta = 0.3;
  static_cast<void>(vae_gradients(network, batch, static_cast<float>(beta), serial));
  auto weights = in_double(network);
  const auto loss = [&] {
    const VaeLoss slow = SlowLoss{weights}.of(batch);
    return (slow.reconstruction + beta * slow.divergence) / static_cast<double>(batch.users());
  };
  for (std::size_t n = 0; n < network.size(); ++n)
    for (std::size_t row = 0; row<network.value(n).rows(); row += n> vae_net_layers ? 1 : 50)
      for (std::size_t k = 0; k < network.value(n).width(); ++k) {
        double& weight = weights[n][row][k];
        const double here = weight, step = 1e-5;
        weight = here + step;
        const double above = loss();
        weight = here - step;
        const double below = loss();
        weight = here;
        ASSERT_NEAR(network.gradient(n).row(row)[k], (above - below) / (2.0 * step), 2e-5)
            << "matrix " << n << ", row " << row << ", place " << k;
      }
}

TEST(VaeStep, ExecutorsDoNotChangeABit) {
  const VaeBatch batch = batch_of(200, 700);
  Network one = tiny_network(700), other = tiny_network(700);
  SerialExecutor serial;
  BackwardExecutor backward(3);
  const VaeLoss a = vae_gradients(one, batch, 0.2f, serial), b = vae_gradients(other, batch, 0.2f, backward);
  EXPECT_EQ(a.reconstruction, b.reconstruction);
  EXPECT_EQ(a.divergence, b.divergence);
  for (std::size_t n = 0; n < one.size(); ++n)
    for (std::size_t row = 0; row < one.value(n).rows(); ++row)
      ASSERT_TRUE(std::ranges::equal(one.gradient(n).values(row), other.gradient(n).values(row))) << n;
}

TEST(Network, AdamMovesAsItsFormulaSays) {
  Network network({{1, 2}});
  SerialExecutor serial;
  network.value(0).row(0)[0] = 1.0f;
  double w = 1.0, m = 0.0, v = 0.0;
  for (int t = 1; t <= 5; ++t) {
    const double slope = 0.1 * t - 0.3;
    network.gradient(0).row(0)[0] = static_cast<float>(slope);
    network.step(static_cast<std::uint64_t>(t), {0.01f, 0.5f}, serial);
    const double whole = slope + 0.5 * w;
    m = 0.9 * m + 0.1 * whole;
    v = 0.999 * v + 0.001 * whole * whole;
    w -= 0.01 * (m / (1.0 - std::pow(0.9, t))) / (std::sqrt(v / (1.0 - std::pow(0.999, t))) + 1e-8);
    EXPECT_NEAR(network.value(0).row(0)[0], w, 1e-6);
  }
  EXPECT_EQ(network.value(0).row(0)[1], 0.0f);
}

}  // namespace
}  // namespace sotto::neural::vae_step_test
