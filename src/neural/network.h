// A network's numbers while it is trained: each matrix with its gradient and its two moments (Adam, Kingma
// and Ba 2015). Torch looks at the same memory.
//
// Law: a step changes each number by itself, so the result does not depend on how the work is cut.
#pragma once

#include <cstdint>
#include <vector>

#include "base/executor.h"
#include "base/row_matrix.h"
#include "model/central/dense_layers.h"

namespace sotto::neural {

struct AdamOptions {
  float learning_rate = 0.001f;
  float l2 = 0.0f;
};

enum class Moments : std::uint8_t { kept, none };  // none: step() is never called

class Network {
 public:
  explicit Network(const std::vector<MatrixShape>& shapes, Moments moments = Moments::kept);

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] RowMatrix& value(std::size_t n) { return values_[n]; }
  [[nodiscard]] const RowMatrix& value(std::size_t n) const { return values_[n]; }
  [[nodiscard]] RowMatrix& gradient(std::size_t n) { return gradients_[n]; }
  // Step number `number` (1, 2, …) along the gradients.
  void step(std::uint64_t number, const AdamOptions& options, Executor& executor);

  // Matrices from `first` on, and both moments of all.
  [[nodiscard]] std::vector<RowMatrix> values_from(std::size_t first) const;
  [[nodiscard]] std::vector<RowMatrix> moments() const;
  // All values, then all moments; false, and nothing happens, where a shape is not its own.
  [[nodiscard]] bool restore(std::vector<RowMatrix> all);

 private:
  struct Piece {
    std::size_t matrix;
    std::size_t begin, end;  // rows
  };

  std::vector<RowMatrix> values_, gradients_, first_, second_;
  std::vector<Piece> pieces_;
};

}  // namespace sotto::neural
