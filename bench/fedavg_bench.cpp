// Federated averaging: one round of ten devices with 600 pictures each, five epochs of full batches of the
// 1.66-million-parameter network on two threads, against the same training written plainly with torch's own
// modules and optimiser, without a federation around it. Both end with the mean of the ten models.
//   fedavg_bench            (SOTTO_BENCH_REPEATS, 3 by default)
#include <ATen/Parallel.h>
#include <torch/nn.h>
#include <torch/optim/sgd.h>

#include <cmath>

#include "bench/measure.h"
#include "neural/classifier.h"
#include "neural/trainings.h"
#include "sim/averaging_federation.h"
#include "sim/thread_pool.h"

extern "C" void openblas_set_num_threads(int threads);

namespace sotto::bench {
namespace {

constexpr std::size_t devices = 10, pictures = 600, classes = 10, side = 28;
constexpr int threads = 2;
constexpr std::uint32_t epochs = 5;
constexpr float rate = 0.1f;

Examples noise() {
  Examples examples{side, side, classes, {}, {}, {}, devices * pictures};
  Stream stream(1, Purpose::generate_world);
  for (std::size_t n = 0; n < devices * pictures; ++n) {
    examples.labels.push_back(static_cast<std::uint8_t>(stream.below(classes)));
    for (std::size_t k = 0; k < side * side; ++k)
      examples.values.push_back(static_cast<std::uint8_t>(stream.below(256)));
  }
  return examples;
}

Dealt dealt() {
  std::vector<Dealt::Hand> hands(devices);
  for (std::uint32_t n = 0; n < devices * pictures; ++n) hands[n / pictures].train.push_back(n);
  return Dealt(std::move(hands));
}

// The network as one writes it with torch.
struct PlainNet : torch::nn::Module {
  torch::nn::Conv2d first{torch::nn::Conv2dOptions(1, 32, 5).padding(2)},
      second{torch::nn::Conv2dOptions(32, 64, 5).padding(2)};
  torch::nn::Linear dense{64 * 7 * 7, 512}, last{512, 10};

  PlainNet() {
    register_module("first", first);
    register_module("second", second);
    register_module("dense", dense);
    register_module("last", last);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(first(x)), 2);
    x = torch::max_pool2d(torch::relu(second(x)), 2);
    return last(torch::relu(dense(x.flatten(1))));
  }
};

std::vector<float> plain_round(const Examples& examples, const std::vector<float>& start) {
  std::vector<double> sum(start.size(), 0.0);
  for (std::size_t device = 0; device < devices; ++device) {
    PlainNet net;
    std::size_t begin = 0;
    for (torch::Tensor& part : net.parameters()) {
      const torch::NoGradGuard plain;
      std::copy_n(start.data() + begin, part.numel(), part.data_ptr<float>());
      begin += static_cast<std::size_t>(part.numel());
    }
    torch::optim::SGD optimiser(net.parameters(), torch::optim::SGDOptions(static_cast<double>(rate)));
    const auto* bytes = examples.of(device * pictures);
    torch::Tensor x = torch::empty({pictures, 1, side, side}), y = torch::empty({pictures}, torch::kLong);
    for (std::size_t k = 0; k < pictures * side * side; ++k)
      x.data_ptr<float>()[k] = static_cast<float>(bytes[k]) / 255.0f;
    for (std::size_t n = 0; n < pictures; ++n)
      y.data_ptr<std::int64_t>()[n] = examples.labels[device * pictures + n];
    for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
      optimiser.zero_grad();
      torch::nn::functional::cross_entropy(net.forward(x), y).backward();
      optimiser.step();
    }
    begin = 0;
    for (const torch::Tensor& part : net.parameters())
      for (std::int64_t k = 0; k < part.numel(); ++k)
        sum[begin++] += static_cast<double>(part.data_ptr<float>()[k]);
  }
  std::vector<float> mean(start.size());
  for (std::size_t k = 0; k < mean.size(); ++k)
    mean[k] = static_cast<float>(sum[k] / static_cast<double>(devices));
  return mean;
}

void measure() {
  const Examples examples = noise();
  const Dealt hands = dealt();
  const auto task = start_classifier(examples, hands, {}).value();
  const AveragingPlan plan{.cohort = 1.0, .local = {.epochs = epochs, .rate = rate}};
  std::vector<float> start(task->parameters()), ours, plainly;
  task->start(plan.seed, start);
  ThreadPool pool(threads);
  Figures federated, plain, ratio;
  const int repeats = std::stoi(setting("SOTTO_BENCH_REPEATS", "3"));
  for (int n = 0; n < repeats; ++n) {
    use_one_thread_a_call();
    PlainCollector collector(averaging_shape(task->parameters()));
    AveragingFederation federation(*task, plan, pool, collector);
    federated.add(wall_seconds_of([&] { static_cast<void>(federation.run(1).value()); }));
    ours.assign(federation.model().begin(), federation.model().end());
    at::set_num_threads(threads);
    openblas_set_num_threads(threads);
    plain.add(wall_seconds_of([&] { plainly = plain_round(examples, start); }));
    ratio.add(federated.values.back() / plain.values.back());
  }
  float apart = 0.0f, moved = 0.0f;
  for (std::size_t k = 0; k < start.size(); ++k) {
    apart = std::max(apart, std::abs(ours[k] - plainly[k]));
    moved = std::max(moved, std::abs(ours[k] - start[k]));
  }
  fmt::print("{} parameters; a round of {} devices, {} pictures, {} epochs; medians of {}, {} threads\n",
             start.size(), devices, pictures, epochs, repeats, threads);
  fmt::print("federated round     {:>8.2f} s\n", federated.median());
  fmt::print("plain libtorch      {:>8.2f} s\n", plain.median());
  fmt::print("federated / plain   {:>8.2f}     limit 1.30 (from {:.2f} to {:.2f})\n", ratio.median(),
             ratio.least(), ratio.most());
  fmt::print("both mean models differ by {:.1e} at most, having moved by up to {:.1e}\n", apart, moved);
}

}  // namespace
}  // namespace sotto::bench

int main() { sotto::bench::measure(); }
