#include "model/central/multvae.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::model::multvae_test {

constexpr MultVaeOptions tiny{.hidden = 5, .latent = 3};
constexpr std::size_t catalogue = 9;

RowMatrix drawn(const MatrixShape& shape, std::uint32_t number) {
  RowMatrix matrix(shape.rows, shape.width);
  Stream stream(1, Purpose::neural_init, number);
  for (std::size_t row = 0; row < shape.rows; ++row)
    for (float& value : matrix.values(row)) value = static_cast<float>(stream.normal());
  return matrix;
}

// The scores of a history by the formula, in double.
std::vector<double> slow_scores(const std::vector<std::uint32_t>& history, const RowMatrix& items,
                                const std::vector<RowMatrix>& layers) {
  const auto apply = [](const RowMatrix& layer, std::size_t rows, const std::vector<double>& x) {
    std::vector<double> out;
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = static_cast<double>(layer.row(row)[x.size()]);
      for (std::size_t k = 0; k < x.size(); ++k) sum += static_cast<double>(layer.row(row)[k]) * x[k];
      out.push_back(sum);
    }
    return out;
  };
  const auto squash = [](std::vector<double> x) {
    for (double& value : x) value = std::tanh(value);
    return x;
  };
  std::vector<double> h(tiny.hidden);
  for (std::size_t k = 0; k < tiny.hidden; ++k) {
    h[k] = static_cast<double>(layers[vae_input].row(catalogue)[k]);
    for (const std::uint32_t item : history)
      h[k] += static_cast<double>(layers[vae_input].row(item)[k]) /
              std::sqrt(static_cast<double>(history.size()));
  }
  const std::vector<double> mean = apply(layers[vae_code], tiny.latent, squash(h));
  return apply(items, catalogue, squash(apply(layers[vae_decoder], tiny.hidden, mean)));
}

TEST(MultVae, ScoresFollowTheFormulaForUsersAndGuests) {
  const Rows rows{{0, 3, 4}, {}, {8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}};
  const Histories train = histories_of(rows);
  const RowMatrix items = drawn(vae_items_shape(catalogue, tiny), 0);
  std::vector<RowMatrix> layers;
  for (const MatrixShape& shape : vae_layer_shapes(catalogue, tiny))
    layers.push_back(drawn(shape, static_cast<std::uint32_t>(layers.size() + 1)));
  BackwardExecutor executor(2);
  const MultVae model(train, &items, &layers, executor);
  for (std::uint32_t user = 0; user < rows.size(); ++user) {
    const std::vector<double> expected = slow_scores(rows[user], items, layers);
    std::vector<float> scores(catalogue), as_guest(catalogue), some(2);
    const UserIndex index{user};
    model.score(std::span(&index, 1), {0, catalogue}, scores);
    model.score_history(items_of(rows[user]), as_guest);
    EXPECT_EQ(scores, as_guest);  // nobody has parameters of their own
    for (std::size_t item = 0; item < catalogue; ++item) EXPECT_NEAR(scores[item], expected[item], 1e-5);
    model.score_items(index, items_of({2, 7}), some);
    EXPECT_EQ(some, (std::vector<float>{scores[2], scores[7]}));
  }
  std::vector<float> alike(catalogue);
  ASSERT_TRUE(model.similar(ItemIndex{4}, alike).ok());
  EXPECT_NEAR(alike[4], 1.0f, 1e-5);
}

TEST(MultVae, OptionsOutOfRangeAreRefused) {
  const auto refused = [](auto change) {
    NeuralOptions options;
    change(options);
    return !check(options).ok();
  };
  EXPECT_TRUE(check(NeuralOptions{}).ok());
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.vae.hidden = 0; }));
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.vae.latent = 5000; }));
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.vae.dropout = 1.0f; }));
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.vae.anneal_cap = -0.1f; }));
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.learning_rate = 0.0f; }));
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.learning_rate = std::nanf(""); }));
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.batch = 0; }));
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.l2 = -1.0f; }));
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.neumf.layers = {7, 4}; }));
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.neumf.layers = {8}; }));
  EXPECT_TRUE(refused([](NeuralOptions& o) { o.neumf.negatives = 0; }));
}

}  // namespace sotto::model::multvae_test
