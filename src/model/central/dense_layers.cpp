#include "model/central/dense_layers.h"

#include <algorithm>

namespace sotto::model {

bool have_shapes(std::span<const RowMatrix> matrices, std::span<const MatrixShape> shapes) {
  return std::equal(
      matrices.begin(), matrices.end(), shapes.begin(), shapes.end(),
      [](const RowMatrix& matrix, const MatrixShape& shape) { return shape_of(matrix) == shape; });
}

void apply_layer(const RowMatrix& layer, const float* x, float* out) {
  for (std::size_t n = 0; n < layer.rows(); ++n) out[n] = dot_rows(layer.row(n), x, layer.stride());
}

}  // namespace sotto::model
