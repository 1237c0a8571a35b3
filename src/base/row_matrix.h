// A matrix of float rows, each padded to whole cache lines and aligned to 64 bytes.
// Law: the padding beyond width() is zero and stays zero, so that loops may run over stride().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/assert.h"

namespace sotto::base {

inline constexpr std::size_t row_lanes = 16;  // floats in one 64-byte line

class RowMatrix {
 public:
  RowMatrix() = default;
  RowMatrix(std::size_t rows, std::size_t width)
      : RowMatrix(rows, width, AlignedBuffer<float>(floats_for(rows, width))) {}
  // In the storage's memory; a copy is on the heap.
  RowMatrix(std::size_t rows, std::size_t width, Storage& storage)
      : RowMatrix(rows, width, AlignedBuffer<float>(floats_for(rows, width), storage)) {}

  [[nodiscard]] static constexpr std::size_t stride_for(std::size_t width) {
    return (width + row_lanes - 1) / row_lanes * row_lanes;
  }
  // All numbers of such a matrix, or so many that no memory holds them.
  [[nodiscard]] static constexpr std::size_t floats_for(std::size_t rows, std::size_t width) {
    const std::size_t stride = stride_for(width);
    return stride != 0 && rows > SIZE_MAX / stride ? SIZE_MAX : rows * stride;
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] std::size_t bytes() const { return rows_ * stride_ * sizeof(float); }

  // The values of a matrix of the same shape; this one's memory stays where it is.
  void take_values(const RowMatrix& other) {
    SOTTO_ASSERT(rows_ == other.rows_ && width_ == other.width_, "values fit the matrix");
    std::copy_n(other.data_.data(), other.data_.size(), data_.data());
  }

  [[nodiscard]] float* row(std::size_t r) { return data_.data() + r * stride_; }
  [[nodiscard]] const float* row(std::size_t r) const { return data_.data() + r * stride_; }
  [[nodiscard]] std::span<float> values(std::size_t r) { return {row(r), width_}; }
  [[nodiscard]] std::span<const float> values(std::size_t r) const { return {row(r), width_}; }

 private:
  RowMatrix(std::size_t rows, std::size_t width, AlignedBuffer<float> data)
      : rows_(rows), width_(width), stride_(stride_for(width)), data_(std::move(data)) {
    std::fill_n(data_.data(), data_.size(), 0.0f);
  }

  std::size_t rows_ = 0;
  std::size_t width_ = 0;
  std::size_t stride_ = 0;
  AlignedBuffer<float> data_;
};

// One defined summation order for every instruction set: 16 running lanes over the row, then the
// lanes folded in halves. `stride` is a multiple of 16.
[[nodiscard]] inline float dot_rows(const float* a, const float* b, std::size_t stride) {
  float lanes[row_lanes];
  for (std::size_t l = 0; l < row_lanes; ++l) lanes[l] = a[l] * b[l];
  for (std::size_t k = row_lanes; k < stride; k += row_lanes)
    for (std::size_t l = 0; l < row_lanes; ++l) lanes[l] += a[k + l] * b[k + l];
  for (std::size_t half = row_lanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return lanes[0];
}

}  // namespace sotto::base
