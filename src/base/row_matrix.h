// A matrix of float rows, each padded to whole cache lines and aligned to 64 bytes.
// Law: the padding beyond width() is zero and stays zero, so that loops may run over stride().
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "base/assert.h"

namespace sotto {

inline constexpr std::size_t row_lanes = 16;  // floats in one 64-byte line

class RowMatrix {
 public:
  RowMatrix() = default;
  RowMatrix(std::size_t rows, std::size_t width) : rows_(rows), width_(width), stride_(stride_for(width)) {
    data_.reset(static_cast<float*>(::operator new (bytes(), std::align_val_t{64})));
    std::memset(data_.get(), 0, bytes());
  }
  RowMatrix(const RowMatrix& other) : RowMatrix(other.rows_, other.width_) {
    if (bytes() > 0) std::memcpy(data_.get(), other.data_.get(), bytes());
  }
  RowMatrix& operator=(const RowMatrix& other) { return *this = RowMatrix(other); }
  RowMatrix(RowMatrix&&) = default;
  RowMatrix& operator=(RowMatrix&&) = default;
  ~RowMatrix() = default;

  [[nodiscard]] static constexpr std::size_t stride_for(std::size_t width) {
    return (width + row_lanes - 1) / row_lanes * row_lanes;
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] std::size_t bytes() const { return rows_ * stride_ * sizeof(float); }

  [[nodiscard]] float* row(std::size_t r) { return data_.get() + r * stride_; }
  [[nodiscard]] const float* row(std::size_t r) const { return data_.get() + r * stride_; }
  [[nodiscard]] std::span<float> values(std::size_t r) { return {row(r), width_}; }
  [[nodiscard]] std::span<const float> values(std::size_t r) const { return {row(r), width_}; }

 private:
  struct Free {
    void operator()(float* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::size_t rows_ = 0;
  std::size_t width_ = 0;
  std::size_t stride_ = 0;
  std::unique_ptr<float, Free> data_;
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

}  // namespace sotto
