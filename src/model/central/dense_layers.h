// The layers of a network as rows: what the neural models are made of where nothing is trained any more.
//
// A layer of `out` neurons over `in` values is a matrix of out rows, in + 1 wide, the bias last (as an item's
// in mf_recommender.h); what it is applied to is [x_0 … x_{in−1}, 1], padded with zeros like a row.
// Law: sums go in one order and functions come from base/math.h, so every machine gives the same bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/math.h"
#include "base/row_matrix.h"

namespace sotto::model {

struct MatrixShape {
  std::size_t rows = 0;
  std::size_t width = 0;
  bool operator==(const MatrixShape&) const = default;
};

[[nodiscard]] inline MatrixShape shape_of(const RowMatrix& matrix) { return {matrix.rows(), matrix.width()}; }

// Whether the matrices are as many as the shapes, and each has its own.
[[nodiscard]] bool have_shapes(std::span<const RowMatrix> matrices, std::span<const MatrixShape> shapes);

// out[n] is row n's product with x.
void apply_layer(const RowMatrix& layer, const float* x, float* out);

[[nodiscard]] inline float tanh_f32(float x) { return 2.0f * sigmoid_f32(2.0f * x) - 1.0f; }

}  // namespace sotto::model
