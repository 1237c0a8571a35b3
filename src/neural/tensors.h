// Rows as tensors: torch looks at our memory, and nothing is copied.
#pragma once

#include <ATen/ATen.h>

#include <exception>
#include <mutex>
#include <string>

#include "base/executor.h"
#include "base/row_matrix.h"

namespace sotto::neural {

inline std::int64_t extent(std::size_t size) { return static_cast<std::int64_t>(size); }

// `count` rows from `first` on, the first `columns` places of each.
inline at::Tensor view_of(RowMatrix& matrix, std::size_t first, std::size_t count, std::size_t columns) {
  return at::from_blob(matrix.row(first), {extent(count), extent(columns)}, {extent(matrix.stride()), 1},
                       at::kFloat);
}

// A layer (model/central/dense_layers.h) as what autograd is asked about.
struct DenseLeaves {
  explicit DenseLeaves(RowMatrix& layer)
      : weight(view_of(layer, 0, layer.rows(), layer.width() - 1)),
        bias(at::from_blob(layer.row(0) + layer.width() - 1, {extent(layer.rows())}, {extent(layer.stride())},
                           at::kFloat)) {
    weight.set_requires_grad(true);
    bias.set_requires_grad(true);
  }
  [[nodiscard]] at::Tensor apply(const at::Tensor& x) const { return at::addmm(bias, x, weight.t()); }

  at::Tensor weight, bias;
};

// gradient += what autograd answered for a layer's leaves.
void add_gradient(RowMatrix& gradient, const at::Tensor& weight, const at::Tensor& bias);

// Runs the shards; torch reports its errors by exceptions, which must not leave a thread: the first one
// (by shard) is thrown again here, for who called.
template <class Work>
void run_shards(Executor& executor, std::size_t shards, Work work) {
  std::mutex lock;
  std::size_t failed = shards;
  std::exception_ptr error;
  executor.run(shards, [&](std::size_t shard) {
    try {
      work(shard);
    } catch (...) {
      const std::lock_guard guard(lock);
      if (shard < failed) error = std::current_exception();
      failed = std::min(failed, shard);
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace sotto::neural
