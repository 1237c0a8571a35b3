#include "neural/tensors.h"

namespace sotto::neural {

void add_gradient(RowMatrix& gradient, const at::Tensor& weight, const at::Tensor& bias) {
  const std::size_t in = gradient.width() - 1;
  const at::Tensor weights = weight.contiguous(), biases = bias.contiguous();
  const float* from = weights.data_ptr<float>();
  for (std::size_t row = 0; row < gradient.rows(); ++row) {
    float* to = gradient.row(row);
    for (std::size_t k = 0; k < in; ++k) to[k] += from[row * in + k];
    to[in] += biases.data_ptr<float>()[row];
  }
}

}  // namespace sotto::neural
