// Square symmetric matrices of doubles and the one thing the linear models ask of them: the inverse. The
// products inside run on OpenBLAS (docs/adr/0008-dense-algebra.md).
//
// Laws: OpenBLAS gets one thread a call; the executor runs strips whose shape depends on the size of the
// matrix alone. So one machine gives the same bytes for any number of threads. (Between machines the last
// bits may differ: the library chooses its kernels by CPU. That is why these numbers are rounded before they
// are hashed: model/named_numbers.h.)
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/aligned_buffer.h"
#include "base/executor.h"
#include "base/result.h"

namespace sotto::base {

// All n × n values, row by row.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(std::size_t size);  // of zeros
  // For who writes all that will be read: its pages are taken where they are first written.
  [[nodiscard]] static SymmetricMatrix unset(std::size_t size) { return SymmetricMatrix(Unset{}, size); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<double> row(std::size_t n) { return {values_.data() + n * size_, size_}; }
  [[nodiscard]] std::span<const double> row(std::size_t n) const {
    return {values_.data() + n * size_, size_};
  }
  [[nodiscard]] double& at(std::size_t row, std::size_t column) {
    return values_.data()[row * size_ + column];
  }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return values_.data()[row * size_ + column];
  }

 private:
  struct Unset {};
  SymmetricMatrix(Unset, std::size_t size) : size_(size), values_(size * size) {}

  std::size_t size_;
  AlignedBuffer<double> values_;
};

// Puts the inverse in place. Reads the lower triangle (column ≤ row) alone; both are filled afterwards, and
// no memory is taken beside it. Fails where the matrix is not positive definite.
[[nodiscard]] Status invert(SymmetricMatrix& matrix, Executor& executor);
// The same numbers, in the lower triangle alone; what is left above it means nothing.
[[nodiscard]] Status invert_lower(SymmetricMatrix& matrix, Executor& executor);

// Names the numbers of the lower triangle, which nothing has rounded yet.
[[nodiscard]] std::string hash_lower(const SymmetricMatrix& matrix, Executor& executor);

}  // namespace sotto::base
