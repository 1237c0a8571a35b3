// A classifier's layers as torch sees them: views of a flat vector, what they make of examples, and the
// gradient of the loss. See neural/classifier.h.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "model/averaging/classifier_options.h"

namespace sotto::neural {

class ClassifierNetwork {
 public:
  ClassifierNetwork(const ClassifierOptions& options, const Examples& examples);

  [[nodiscard]] const std::vector<ClassifierLayer>& layers() const { return layers_; }
  [[nodiscard]] std::size_t parameters() const;
  // Weights and biases of each layer in turn, as views of the flat vector that autograd is asked about.
  [[nodiscard]] std::vector<at::Tensor> leaves(const at::Tensor& flat) const;
  // One row of scores an example; `bytes` has one row an example.
  [[nodiscard]] at::Tensor scores(const std::vector<at::Tensor>& leaves, const at::Tensor& bytes) const;
  // gradient += slopes of scale · Σ cross entropy over these examples; returns Σ cross entropy.
  double add_gradient(const std::vector<at::Tensor>& leaves, const at::Tensor& bytes,
                      const at::Tensor& labels, double scale, const at::Tensor& gradient) const;

 private:
  ClassifierOptions options_;
  std::int64_t height_, width_;
  std::vector<ClassifierLayer> layers_;
};

}  // namespace sotto::neural
