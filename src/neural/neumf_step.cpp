#include "neural/neumf_step.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "neural/tensors.h"

namespace sotto::neural {

namespace {

constexpr std::size_t examples_a_shard = 512;

// What one shard found out.
struct Answer {
  double loss = 0.0;
  at::Tensor user_rows, item_rows;  // slopes, one row an example
  std::vector<at::Tensor> layers;   // weight and bias of each
};

class NeuMfStep {
 public:
  NeuMfStep(Network& network, const NeuMfOptions& options, const std::vector<NeuMfExample>& batch)
      : network_(network), options_(options), batch_(batch) {
    for (std::size_t n = neumf_net_layers; n < network.size(); ++n) leaves_.emplace_back(network.value(n));
  }

  [[nodiscard]] std::size_t shards() const {
    return (batch_.size() + examples_a_shard - 1) / examples_a_shard;
  }

  [[nodiscard]] Answer answer(std::size_t shard) const {
    const std::size_t begin = shard * examples_a_shard;
    const std::size_t count = std::min(batch_.size() - begin, examples_a_shard);
    const at::Tensor wanted = at::empty({extent(count), 1}, at::kFloat);
    for (std::size_t n = 0; n < count; ++n) wanted.data_ptr<float>()[n] = batch_[begin + n].wanted;
    const at::Tensor users = gathered(neumf_net_users, begin, count);
    const at::Tensor items = gathered(neumf_net_items, begin, count);
    const at::Tensor loss =
        at::binary_cross_entropy_with_logits(scores(users, items), wanted, {}, {}, at::Reduction::Sum);
    std::vector<at::Tensor> asked{users, items};
    for (const DenseLeaves& layer : leaves_) asked.insert(asked.end(), {layer.weight, layer.bias});
    auto slopes = torch::autograd::grad({loss}, asked,
                                        {at::full({}, 1.0 / static_cast<double>(batch_.size()), at::kFloat)});
    return {loss.item<double>(),
            slopes[0].contiguous(),
            slopes[1].contiguous(),
            {slopes.begin() + 2, slopes.end()}};
  }

  void add(std::size_t shard, const Answer& answer) {
    const std::size_t width = network_.value(neumf_net_items).width();
    const std::size_t begin = shard * examples_a_shard;
    const auto add_row = [&](std::size_t matrix, std::size_t row, const at::Tensor& slopes, std::size_t n) {
      float* to = network_.gradient(matrix).row(row);
      const float* from = slopes.data_ptr<float>() + n * width;
      for (std::size_t k = 0; k < width; ++k) to[k] += from[k];
    };
    for (std::size_t n = 0; n < static_cast<std::size_t>(answer.user_rows.size(0)); ++n) {
      add_row(neumf_net_users, batch_[begin + n].user.value, answer.user_rows, n);
      add_row(neumf_net_items, batch_[begin + n].item.value, answer.item_rows, n);
    }
    for (std::size_t n = 0; n < leaves_.size(); ++n)
      add_gradient(network_.gradient(neumf_net_layers + n), answer.layers[2 * n], answer.layers[2 * n + 1]);
  }

 private:
  [[nodiscard]] at::Tensor gathered(std::size_t matrix, std::size_t begin, std::size_t count) const {
    const RowMatrix& rows = network_.value(matrix);
    at::Tensor tensor = at::empty({extent(count), extent(rows.width())}, at::kFloat);
    for (std::size_t n = 0; n < count; ++n) {
      const NeuMfExample& example = batch_[begin + n];
      const std::size_t row = matrix == neumf_net_users ? example.user.value : example.item.value;
      std::copy_n(rows.row(row), rows.width(), tensor.data_ptr<float>() + n * rows.width());
    }
    return tensor.set_requires_grad(true);
  }

  [[nodiscard]] at::Tensor scores(const at::Tensor& users, const at::Tensor& items) const {
    const std::int64_t factors = extent(options_.factors), half = extent(options_.layers.front() / 2);
    at::Tensor x = at::cat({users.narrow(1, factors, half), items.narrow(1, factors, half)}, 1);
    for (std::size_t n = 0; n + 1 < leaves_.size(); ++n) x = leaves_[n].apply(x).relu();
    return leaves_.back().apply(at::cat({users.narrow(1, 0, factors) * items.narrow(1, 0, factors), x}, 1));
  }

  Network& network_;
  const NeuMfOptions& options_;
  const std::vector<NeuMfExample>& batch_;
  std::vector<DenseLeaves> leaves_;
};

}  // namespace

double neumf_gradients(Network& network, const NeuMfOptions& options, const std::vector<NeuMfExample>& batch,
                       Executor& executor) {
  NeuMfStep step(network, options, batch);
  std::vector<Answer> answers(step.shards());
  run_shards(executor, answers.size(), [&](std::size_t shard) { answers[shard] = step.answer(shard); });
  for (std::size_t n = 0; n < network.size(); ++n) {
    RowMatrix& gradient = network.gradient(n);
    std::fill_n(gradient.row(0), gradient.rows() * gradient.stride(), 0.0f);
  }
  double loss = 0.0;
  for (std::size_t shard = 0; shard < answers.size(); ++shard) {
    step.add(shard, answers[shard]);
    loss += answers[shard].loss;
  }
  return loss;
}

}  // namespace sotto::neural
