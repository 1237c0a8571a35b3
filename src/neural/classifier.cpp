#include "neural/classifier.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <exception>
#include <string>

#include "base/assert.h"
#include "base/rng.h"
#include "model/averaging/network_starts.h"
#include "neural/accelerator.h"
#include "neural/classifier_network.h"
#include "neural/epoch.h"
#include "neural/local_step.h"
#include "neural/tensors.h"

namespace sotto::neural {

namespace {

// Examples that go through the network at once: on the processor what its caches hold.
constexpr std::size_t piece_on_cpu = 100, piece_on_card = 4096, scored_at_once = 500;

class ClassifierTask final : public LocalTask {
 public:
  ClassifierTask(const Examples& examples, const Dealt& hands, const ClassifierOptions& options,
                 at::Device device)
      : examples_(examples), hands_(hands), network_(options, examples), device_(device) {}

  [[nodiscard]] std::size_t parameters() const override { return network_.parameters(); }
  [[nodiscard]] std::vector<std::size_t> layer_ends() const override {
    std::vector<std::size_t> ends;
    for (const ClassifierLayer& layer : network_.layers())
      ends.push_back((ends.empty() ? 0 : ends.back()) + layer.parameters());
    return ends;
  }
  [[nodiscard]] std::size_t devices() const override { return hands_.devices(); }
  [[nodiscard]] bool takes_part(UserIndex device) const override { return !hands_.of(device).train.empty(); }

  void start(std::uint64_t seed, std::span<float> model) const override {
    SOTTO_ASSERT(model.size() == parameters(), "the vector has the network's length");
    for (std::size_t n = 0; n < network_.layers().size(); ++n) {
      const std::size_t size = network_.layers()[n].parameters();
      draw_classifier_layer(n, network_.layers()[n], model.first(size), seed);
      model = model.subspan(size);
    }
  }

  [[nodiscard]] Result<LocalReport> train(std::uint64_t seed, std::uint32_t round, UserIndex device,
                                          const LocalTraining& how, std::span<float> model,
                                          std::span<float> own) const override;
  [[nodiscard]] Result<LocalScore> score(UserIndex device, LocalPart part, std::span<const float> model,
                                         std::span<std::uint8_t> right) const override;

 private:
  // The examples of one call, where torch works.
  struct Loaded {
    at::Tensor bytes, labels;
  };
  [[nodiscard]] Loaded loaded(std::span<const std::uint32_t> places) const;
  // gradient = that of the batch's mean loss; returns the summed loss.
  double batch_gradient(const std::vector<at::Tensor>& leaves, std::span<const std::uint32_t> batch,
                        const at::Tensor& gradient) const;

  const Examples& examples_;
  const Dealt& hands_;
  ClassifierNetwork network_;
  at::Device device_;
};

ClassifierTask::Loaded ClassifierTask::loaded(std::span<const std::uint32_t> places) const {
  const std::size_t size = examples_.size();
  at::Tensor bytes = at::empty({extent(places.size()), extent(size)}, at::kByte);
  at::Tensor labels = at::empty({extent(places.size())}, at::kLong);
  for (std::size_t n = 0; n < places.size(); ++n) {
    std::copy_n(examples_.of(places[n]), size, bytes.data_ptr<std::uint8_t>() + n * size);
    labels.data_ptr<std::int64_t>()[n] = examples_.labels[places[n]];
  }
  return {bytes.to(device_), labels.to(device_)};
}

double ClassifierTask::batch_gradient(const std::vector<at::Tensor>& leaves,
                                      std::span<const std::uint32_t> batch,
                                      const at::Tensor& gradient) const {
  const std::size_t piece = device_.is_cpu() ? piece_on_cpu : piece_on_card;
  double loss = 0.0;
  gradient.zero_();
  for (std::size_t begin = 0; begin < batch.size(); begin += piece) {
    const Loaded part = loaded(batch.subspan(begin, std::min(piece, batch.size() - begin)));
    loss += network_.add_gradient(leaves, part.bytes, part.labels, 1.0 / static_cast<double>(batch.size()),
                                  gradient);
  }
  return loss;
}

Result<LocalReport> ClassifierTask::train(std::uint64_t seed, std::uint32_t round, UserIndex device,
                                          const LocalTraining& how, std::span<float> model,
                                          std::span<float>) const try {
  SOTTO_ASSERT(model.size() == parameters(), "the vector has the network's length");
  keep_to_this_thread();
  std::vector<std::uint32_t> order = hands_.of(device).train;
  const std::size_t batch = how.batch == 0 ? order.size() : std::min<std::size_t>(how.batch, order.size());
  const at::Tensor given = at::from_blob(model.data(), {extent(model.size())}, at::kFloat);
  const at::Tensor flat = given.to(device_);  // on the processor: the same memory
  const at::Tensor received = how.proximal == 0.0f ? at::Tensor() : flat.clone();
  const at::Tensor gradient = at::empty_like(flat);
  const std::vector<at::Tensor> leaves = network_.leaves(flat);
  Stream stream(seed, Purpose::local_order, round, device.value);
  std::uint64_t examples = 0;
  double loss = 0.0;
  for (std::uint32_t epoch = 0; epoch < how.epochs; ++epoch) {
    if (batch < order.size()) shuffle(order, stream);
    for (std::size_t begin = 0; begin < order.size(); begin += batch) {
      const auto chosen = std::span(order).subspan(begin, std::min(batch, order.size() - begin));
      loss += batch_gradient(leaves, chosen, gradient);
      const at::NoGradGuard plain;
      if (received.defined()) gradient.add_(flat - received, how.proximal);
      flat.sub_(gradient, how.rate);
    }
    examples += order.size();
  }
  if (!device_.is_cpu()) given.copy_(flat);
  return report_of(examples, loss, model, {});
} catch (const std::exception& error) {
  return torch_error("training a classifier", error.what());
}

Result<LocalScore> ClassifierTask::score(UserIndex device, LocalPart part, std::span<const float> model,
                                         std::span<std::uint8_t> right) const try {
  SOTTO_ASSERT(model.size() == parameters(), "the vector has the network's length");
  keep_to_this_thread();
  const Dealt::Hand& hand = hands_.of(device);
  const std::span<const std::uint32_t> places = part == LocalPart::test ? hand.test : hand.validation;
  SOTTO_ASSERT(right.empty() || right.size() == places.size(), "room for one answer an example");
  LocalScore score{0, places.size()};
  if (places.empty()) return score;
  const at::NoGradGuard plain;
  // Torch has no views of what must not change; nothing here writes to it.
  const at::Tensor given =
      at::from_blob(const_cast<float*>(model.data()), {extent(model.size())}, at::kFloat);
  const std::vector<at::Tensor> leaves = network_.leaves(given.to(device_));
  for (std::size_t begin = 0; begin < places.size(); begin += scored_at_once) {
    const auto some = places.subspan(begin, std::min(scored_at_once, places.size() - begin));
    const at::Tensor scores = network_.scores(leaves, loaded(some).bytes).cpu().contiguous();
    for (std::size_t n = 0; n < some.size(); ++n) {
      const float* row = scores.data_ptr<float>() + n * examples_.classes;
      const auto best = static_cast<std::size_t>(std::max_element(row, row + examples_.classes) - row);
      const bool hit = best == examples_.labels[some[n]];
      score.right += hit ? 1 : 0;
      if (!right.empty()) right[begin + n] = hit ? 1 : 0;
    }
  }
  return score;
} catch (const std::exception& error) {
  return torch_error("asking a classifier", error.what());
}

Status check_hands(const Examples& examples, const Dealt& hands) {
  const auto is_no_class = [&](std::uint8_t label) { return label >= examples.classes; };
  if (std::ranges::any_of(examples.labels, is_no_class))
    return fail(Code::bad_input, "an example's label is not among the classes");
  const auto is_there = [&](std::uint32_t place) { return place < examples.count(); };
  for (std::uint32_t device = 0; device < hands.devices(); ++device) {
    const Dealt::Hand& hand = hands.of(UserIndex{device});
    for (const std::vector<std::uint32_t>* part : {&hand.train, &hand.validation, &hand.test})
      if (!std::ranges::all_of(*part, is_there))
        return fail(Code::bad_input, "a device was dealt an example that is not there");
  }
  return Done{};
}

}  // namespace

Result<std::unique_ptr<LocalTask>> start_classifier(const Examples& examples, const Dealt& hands,
                                                    const ClassifierOptions& options) {
  SOTTO_TRY_DONE(check(options, examples));
  SOTTO_TRY_DONE(check_hands(examples, hands));
  SOTTO_TRY(const at::Device device, torch_device(options.accelerator));
  return std::unique_ptr<LocalTask>(std::make_unique<ClassifierTask>(examples, hands, options, device));
}

}  // namespace sotto::neural
