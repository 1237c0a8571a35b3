#include "neural/neumf_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "model/central/neumf.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::neural::neumf_step_test {
namespace {

const NeuMfOptions tiny{.factors = 3, .layers = {8, 6, 4}, .negatives = 2};
constexpr std::size_t users = 20, catalogue = 15;

Network tiny_network() {
  std::vector<MatrixShape> shapes{{catalogue, neumf_row_width(tiny)}, {users, neumf_row_width(tiny)}};
  for (const MatrixShape& shape : neumf_layer_shapes(tiny)) shapes.push_back(shape);
  Network network(shapes);
  Stream stream(3, Purpose::neural_init);
  for (std::size_t n = 0; n < network.size(); ++n)
    for (std::size_t row = 0; row < network.value(n).rows(); ++row)
      for (float& value : network.value(n).values(row)) value = static_cast<float>(0.7 * stream.normal());
  return network;
}

std::vector<NeuMfExample> examples(std::size_t count) {
  std::vector<NeuMfExample> batch;
  Stream stream(9, Purpose::neural_negatives);
  for (std::size_t n = 0; n < count; ++n)
    batch.push_back({UserIndex{stream.below(users)}, ItemIndex{stream.below(catalogue)},
                     stream.chance(0.4) ? 1.0f : 0.0f});
  return batch;
}

using Weights = std::vector<std::vector<std::vector<double>>>;  // matrix, row, place

Weights in_double(const Network& network) {
  Weights all(network.size());
  for (std::size_t n = 0; n < network.size(); ++n)
    for (std::size_t row = 0; row < network.value(n).rows(); ++row) {
      const auto values = network.value(n).values(row);
      all[n].emplace_back(values.begin(), values.end());
    }
  return all;
}

// The score by its definition, in double.
double slow_score(const Weights& w, const std::vector<double>& user, const std::vector<double>& item) {
  std::vector<double> x(user.begin() + tiny.factors, user.end());
  x.insert(x.end(), item.begin() + tiny.factors, item.end());
  for (std::size_t n = neumf_net_layers; n + 1 < w.size(); ++n) {
    std::vector<double> y;
    for (const auto& row : w[n]) {
      double sum = row.back();
      for (std::size_t k = 0; k < x.size(); ++k) sum += row[k] * x[k];
      y.push_back(std::max(0.0, sum));
    }
    x = y;
  }
  const auto& last = w.back().front();
  double score = last.back();
  for (std::size_t k = 0; k < tiny.factors; ++k) score += last[k] * user[k] * item[k];
  for (std::size_t k = 0; k < x.size(); ++k) score += last[tiny.factors + k] * x[k];
  return score;
}

double slow_loss(const Weights& w, const std::vector<NeuMfExample>& batch) {
  double loss = 0.0;
  for (const NeuMfExample& example : batch) {
    const double score =
        slow_score(w, w[neumf_net_users][example.user.value], w[neumf_net_items][example.item.value]);
    const double chance = 1.0 / (1.0 + std::exp(-score));
    loss -= std::log(example.wanted == 1.0f ? chance : 1.0 - chance);
  }
  return loss;
}

TEST(NeuMfStep, LossAndGradientsAreThoseOfTheDefinition) {
  Network network = tiny_network();
  const std::vector<NeuMfExample> batch = examples(700);  // two shards
  SerialExecutor serial;
  const double found = neumf_gradients(network, tiny, batch, serial);
  Weights weights = in_double(network);
  EXPECT_NEAR(found / slow_loss(weights, batch), 1.0, 1e-5);
  for (std::size_t n = 0; n < network.size(); ++n)
    for (std::size_t row = 0; row < network.value(n).rows(); ++row)
      for (std::size_t k = 0; k < network.value(n).width(); ++k) {
        double& weight = weights[n][row][k];
        const double here = weight, step = 1e-6;
        weight = here + step;
        const double above = slow_loss(weights, batch);
        weight = here - step;
        const double below = slow_loss(weights, batch);
        weight = here;
        ASSERT_NEAR(network.gradient(n).row(row)[k],
                    (above - below) / (2.0 * step * static_cast<double>(batch.size())), 1e-5)
            << "matrix " << n << ", row " << row << ", place " << k;
      }
}

TEST(NeuMfStep, ExecutorsDoNotChangeABit) {
  Network one = tiny_network(), other = tiny_network();
  const std::vector<NeuMfExample> batch = examples(2000);
  SerialExecutor serial;
  BackwardExecutor backward(3);
  EXPECT_EQ(neumf_gradients(one, tiny, batch, serial), neumf_gradients(other, tiny, batch, backward));
  for (std::size_t n = 0; n < one.size(); ++n)
    for (std::size_t row = 0; row < one.value(n).rows(); ++row)
      ASSERT_TRUE(std::ranges::equal(one.gradient(n).values(row), other.gradient(n).values(row))) << n;
}

TEST(NeuMfStep, TheRecommenderScoresWhatWasTrained) {
  const Network network = tiny_network();
  const Weights weights = in_double(network);
  const NeuMf model(tiny, 1, network.value(neumf_net_users), network.value(neumf_net_items),
                    network.values_from(neumf_net_layers));
  for (std::uint32_t user = 0; user < users; ++user) {
    std::vector<float> scores(catalogue);
    const UserIndex index{user};
    model.score(std::span(&index, 1), {0, catalogue}, scores);
    for (std::size_t item = 0; item < catalogue; ++item)
      EXPECT_NEAR(scores[item],
                  slow_score(weights, weights[neumf_net_users][user], weights[neumf_net_items][item]), 1e-4);
  }
}

TEST(NeuMfStep, FoldInClimbsTheScoresOwnSlope) {
  const Network network = tiny_network();
  const Weights weights = in_double(network);
  const NeuMf model(tiny, 1, network.value(neumf_net_users), network.value(neumf_net_items),
                    network.values_from(neumf_net_layers));
  std::vector<float> slope(neumf_row_width(tiny));
  for (std::uint32_t item = 0; item < catalogue; ++item) {
    std::vector<double> row = weights[neumf_net_users][item];
    const float score = model.gradient(network.value(neumf_net_users).row(item), ItemIndex{item}, slope);
    EXPECT_NEAR(score, slow_score(weights, row, weights[neumf_net_items][item]), 1e-4);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double here = row[k], step = 1e-6;
      row[k] = here + step;
      const double above = slow_score(weights, row, weights[neumf_net_items][item]);
      row[k] = here - step;
      const double below = slow_score(weights, row, weights[neumf_net_items][item]);
      row[k] = here;
      EXPECT_NEAR(slope[k], (above - below) / (2.0 * step), 1e-3) << item << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace sotto::neural::neumf_step_test
