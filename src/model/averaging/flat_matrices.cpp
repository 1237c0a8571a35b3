#include "model/averaging/flat_matrices.h"

#include <algorithm>

#include "base/assert.h"

namespace sotto::model {

namespace {

std::vector<MatrixShape> joined(MatrixShape items, const std::vector<MatrixShape>& layers) {
  std::vector<MatrixShape> shapes{items};
  shapes.insert(shapes.end(), layers.begin(), layers.end());
  return shapes;
}

}  // namespace

std::vector<MatrixShape> multvae_shared_shapes(std::size_t catalogue, const MultVaeOptions& options) {
  return joined(vae_items_shape(catalogue, options), vae_layer_shapes(catalogue, options));
}

std::vector<MatrixShape> neumf_shared_shapes(std::size_t catalogue, const NeuMfOptions& options) {
  return joined({catalogue, neumf_row_width(options)}, neumf_layer_shapes(options));
}

std::vector<std::size_t> flat_ends(std::span<const MatrixShape> shapes) {
  std::vector<std::size_t> ends;
  for (const MatrixShape& shape : shapes)
    ends.push_back((ends.empty() ? 0 : ends.back()) + shape.rows * shape.width);
  return ends;
}

void flatten(const RowMatrix& matrix, std::span<float> flat) {
  SOTTO_ASSERT(flat.size() == matrix.rows() * matrix.width(), "the numbers fit the matrix");
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    std::ranges::copy(matrix.values(row), flat.begin() + static_cast<std::ptrdiff_t>(row * matrix.width()));
}

void unflatten(std::span<const float> flat, RowMatrix& matrix) {
  SOTTO_ASSERT(flat.size() == matrix.rows() * matrix.width(), "the numbers fit the matrix");
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    std::ranges::copy(flat.subspan(row * matrix.width(), matrix.width()), matrix.values(row).begin());
}

std::vector<RowMatrix> matrices_of(std::span<const float> flat, std::span<const MatrixShape> shapes) {
  std::vector<RowMatrix> matrices;
  for (const MatrixShape& shape : shapes) {
    const std::size_t count = shape.rows * shape.width;
    SOTTO_ASSERT(count <= flat.size(), "the numbers fit the matrices");
    matrices.emplace_back(shape.rows, shape.width);
    unflatten(flat.first(count), matrices.back());
    flat = flat.subspan(count);
  }
  return matrices;
}

}  // namespace sotto::model
