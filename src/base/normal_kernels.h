// The loops of least squares over rows (ALS): sums of outer products, weighted normal equations solved by
// Cholesky, products of one row with many, fixed-point multiples of a row; for several instruction sets
// chosen at run time as in base/kernels.h.
//
// A row here is [x_0 … x_{F−1}, 1] and zeros up to the stride, so that one sum of outer products holds Σ x xᵀ
// and, in column F, Σ x. Of a square of sums only the upper triangle is kept: row i from column i on.
// Laws: every number is one chain of fused multiply-adds in a defined order, so that every target gives the
// same bits and no cutting of the work changes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/layers.h"

namespace sotto::base::kernels {

// Rows of a square that the kernels may write to: `factors` rounded up.
[[nodiscard]] constexpr std::size_t square_rows(std::size_t factors) { return (factors + 7) / 8 * 8; }

// sums[i][j] = fma(row[i], row[j], sums[i][j]), row after row, for i < factors and i ≤ j < stride. `sums` has
// square_rows(factors) rows of `stride` and is aligned to 64 bytes; below the diagonal it is undefined after.
void add_products(std::span<const float* const> rows, std::size_t factors, std::size_t stride, float* sums);

// min over x of xᵀ(gram + weight · S + reg · I)x − 2(1 + weight) tᵀx, where `sums` holds S and, in column F,
// t.
struct WeightedSystem {
  float* sums;        // spent afterwards
  const float* gram;  // the same shape
  std::size_t factors;
  std::size_t stride;
  float weight;
  float reg;
};
// Writes the solution into out[0 … factors − 1]. Returns (1 + weight) tᵀx, or −1 where the matrix is not
// positive definite in floats; then out is undefined.
[[nodiscard]] double solve_weighted(const WeightedSystem& system, float* out);

// out[n] = dot_rows(own, rows + n · stride): 16 running lanes of fused multiply-adds, folded in halves.
void dot_many(const float* own, const float* rows, std::size_t count, std::size_t stride, float* out);

// sum += round(factor · row), each value held within ±step_limit; true where the sum is crowded then
// (base/fixed_point.h).
bool add_multiple(std::int32_t* sum, const float* row, float factor, std::size_t stride);

}  // namespace sotto::base::kernels
