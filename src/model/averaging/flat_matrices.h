// A network's matrices as the flat vector that federated averaging sends: one matrix after the other, each
// row's numbers without the padding.
//
// MultVAE: the items' output rows, then the layers. NeuMF: the items' rows, then the layers; a user's row is
// the device's own and no part of it. (model/central/neural_options.h says their shapes.)
#pragma once

#include <span>
#include <vector>

#include "base/row_matrix.h"
#include "model/central/neural_options.h"

namespace sotto::model {

[[nodiscard]] std::vector<MatrixShape> multvae_shared_shapes(std::size_t catalogue,
                                                             const MultVaeOptions& options);
[[nodiscard]] std::vector<MatrixShape> neumf_shared_shapes(std::size_t catalogue,
                                                           const NeuMfOptions& options);

// Where each matrix ends in the flat vector.
[[nodiscard]] std::vector<std::size_t> flat_ends(std::span<const MatrixShape> shapes);

// `flat` has as many numbers as the matrix.
void flatten(const RowMatrix& matrix, std::span<float> flat);
void unflatten(std::span<const float> flat, RowMatrix& matrix);

// All of them, the items' rows first and then the layers, as the recommenders take them.
[[nodiscard]] std::vector<RowMatrix> matrices_of(std::span<const float> flat,
                                                 std::span<const MatrixShape> shapes);

}  // namespace sotto::model
