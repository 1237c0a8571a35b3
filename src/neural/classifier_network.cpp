#include "neural/classifier_network.h"

#include <torch/csrc/autograd/autograd.h>

#include "neural/tensors.h"

namespace sotto::neural {

ClassifierNetwork::ClassifierNetwork(const ClassifierOptions& options, const Examples& examples)
    : options_(options),
      height_(examples.height),
      width_(examples.width),
      layers_(classifier_layers(options, examples)) {}

std::size_t ClassifierNetwork::parameters() const {
  std::size_t sum = 0;
  for (const ClassifierLayer& layer : layers_) sum += layer.parameters();
  return sum;
}

std::vector<at::Tensor> ClassifierNetwork::leaves(const at::Tensor& flat) const {
  std::vector<at::Tensor> leaves;
  std::int64_t begin = 0;
  const auto take = [&](at::IntArrayRef shape, std::size_t count) {
    leaves.push_back(flat.narrow(0, begin, extent(count)).view(shape).detach().set_requires_grad(true));
    begin += extent(count);
  };
  for (const ClassifierLayer& layer : layers_) {
    const std::int64_t in = extent(layer.in), out = extent(layer.out), filter = extent(layer.filter);
    if (filter == 0)
      take({out, in}, layer.weights());
    else
      take({out, in, filter, filter}, layer.weights());
    take({out}, layer.out);
  }
  return leaves;
}

at::Tensor ClassifierNetwork::scores(const std::vector<at::Tensor>& leaves, const at::Tensor& bytes) const {
  at::Tensor x = bytes.to(at::kFloat).div_(255.0);
  // Beside each other lie the channels of a place: what the processor's kernels like best.
  const auto format = x.is_cpu() ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  if (options_.kind == ClassifierKind::cnn) x = x.view({x.size(0), 1, height_, width_}).contiguous(format);
  for (std::size_t n = 0; n < layers_.size(); ++n) {
    const at::Tensor &weight = leaves[2 * n], &bias = leaves[2 * n + 1];
    if (layers_[n].filter != 0) {
      const std::int64_t edge = extent(layers_[n].filter / 2);
      x = at::max_pool2d(at::conv2d(x, weight.contiguous(format), bias, 1, edge), 2);
      // The larger of four and then of it and 0 is the same in either order, and less work in this one.
      if (options_.conv_relu) x = x.relu();
    } else {
      x = at::addmm(bias, x.flatten(1), weight.t());
      if (n + 1 < layers_.size()) x = x.relu();
    }
  }
  return x;
}

double ClassifierNetwork::add_gradient(const std::vector<at::Tensor>& leaves, const at::Tensor& bytes,
                                       const at::Tensor& labels, double scale,
                                       const at::Tensor& gradient) const {
  const at::Tensor loss =
      at::nll_loss(at::log_softmax(scores(leaves, bytes), 1), labels, {}, at::Reduction::Sum);
  const auto slopes = torch::autograd::grad({loss}, leaves, {at::full({}, scale, loss.options())});
  std::int64_t begin = 0;
  for (const at::Tensor& slope : slopes) {
    gradient.narrow(0, begin, slope.numel()).view(slope.sizes()).add_(slope);
    begin += slope.numel();
  }
  return loss.item<double>();
}

}  // namespace sotto::neural
