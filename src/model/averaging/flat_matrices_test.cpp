#include "model/averaging/flat_matrices.h"

#include <gtest/gtest.h>

#include <numeric>

namespace sotto::model::flat_matrices_test {

TEST(FlatMatrices, RowsLieOneBehindTheOther) {
  const std::vector<MatrixShape> shapes{{2, 3}, {1, 17}, {4, 1}};
  EXPECT_EQ(flat_ends(shapes), (std::vector<std::size_t>{6, 23, 27}));
  std::vector<float> flat(27);
  std::iota(flat.begin(), flat.end(), 1.0f);
  const std::vector<RowMatrix> matrices = matrices_of(flat, shapes);
  ASSERT_EQ(matrices.size(), 3u);
  EXPECT_EQ(matrices[0].row(1)[0], 4.0f);
  EXPECT_EQ(matrices[0].row(1)[3], 0.0f);  // padding
  EXPECT_EQ(matrices[1].row(0)[16], 23.0f);
  EXPECT_EQ(matrices[2].row(3)[0], 27.0f);
  std::vector<float> back(27);
  flatten(matrices[0], std::span(back).first(6));
  flatten(matrices[1], std::span(back).subspan(6, 17));
  flatten(matrices[2], std::span(back).subspan(23));
  EXPECT_EQ(back, flat);
}

TEST(FlatMatrices, TheUsersRowsAreNoPartOfIt) {
  const NeuMfOptions neumf{.factors = 3, .layers = {8, 5}, .negatives = 1};
  // Items: 10 · (3 + 4); a layer of 5 neurons over 8; the last neuron over 3 + 5.
  EXPECT_EQ(flat_ends(neumf_shared_shapes(10, neumf)).back(), 70u + 45u + 9u);
  const MultVaeOptions vae{.hidden = 6, .latent = 2};
  EXPECT_EQ(flat_ends(multvae_shared_shapes(10, vae)).back(), 10u * 7 + 11u * 6 + 4u * 7 + 6u * 3);
}

}  // namespace sotto::model::flat_matrices_test
