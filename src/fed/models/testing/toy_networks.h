// For tests: what trains networks, without any. A device's copy goes a step along its own draws for each item
// (or example) that it speaks of, and so does its private row: whoever gets history, streams, rounds or rates
// wrong ends with another model.
#pragma once

#include "base/rng.h"
#include "model/averaging/flat_matrices.h"
#include "model/averaging/network_starts.h"
#include "model/averaging/network_tasks.h"

namespace sotto::fed {

class ToyNetwork : public LocalTask {
 public:
  ToyNetwork(const DeviceHistories& histories, const std::vector<MatrixShape>& shapes)
      : histories_(histories), shapes_(shapes) {}

  std::size_t parameters() const override { return layer_ends().back(); }
  std::vector<std::size_t> layer_ends() const override { return flat_ends(shapes_); }
  std::size_t devices() const override { return histories_.asked().users(); }
  bool takes_part(UserIndex device) const override { return !histories_.asked().of(device).empty(); }
  bool answers(UserIndex device) const override { return !histories_.trainable().of(device).empty(); }
  void start(std::uint64_t seed, std::span<float> model) const override {
    for (std::size_t n = 0; n < shapes_.size(); ++n) {
      RowMatrix matrix(shapes_[n].rows, shapes_[n].width);
      draw(n, matrix, seed);
      flatten(matrix, model.subspan(n == 0 ? 0 : layer_ends()[n - 1], matrix.rows() * matrix.width()));
    }
  }
  Result<LocalReport> train(std::uint64_t seed, std::uint32_t round, UserIndex device,
                            const LocalTraining& how, std::span<float> model,
                            std::span<float> own) const override {
    Stream draws(seed, Purpose::local_noise, round, device.value);
    for (std::uint32_t epoch = 0; epoch < how.epochs; ++epoch)
      for (const ItemIndex item : histories_.spoken(round, device)) {
        for (std::size_t k = item.value; k < model.size(); k += 7)
          model[k] += 0.01f * how.rate * static_cast<float>(draws.normal()) * (1.0f - model[k]);
        for (float& value : own) value += 0.01f * static_cast<float>(draws.normal());
      }
    return LocalReport{.finite = how.rate < 1e20f};
  }

 private:
  virtual void draw(std::size_t n, RowMatrix& matrix, std::uint64_t seed) const = 0;

  const DeviceHistories& histories_;
  std::vector<MatrixShape> shapes_;
};

class ToyVae final : public ToyNetwork {
 public:
  ToyVae(const DeviceHistories& histories, std::size_t catalogue, const MultVaeOptions& options)
      : ToyNetwork(histories, multvae_shared_shapes(catalogue, options)), options_(options) {}

 private:
  void draw(std::size_t n, RowMatrix& matrix, std::uint64_t seed) const override {
    draw_vae_matrix(n, matrix, options_, seed);
  }
  MultVaeOptions options_;
};

class ToyNeuMf final : public ToyNetwork {
 public:
  ToyNeuMf(const DeviceHistories& histories, std::size_t catalogue, const NeuMfOptions& options)
      : ToyNetwork(histories, neumf_shared_shapes(catalogue, options)), width_(neumf_row_width(options)) {}
  std::size_t private_width() const override { return width_; }
  void start_private(std::uint64_t seed, UserIndex device, std::span<float> own) const override {
    draw_neumf_user(device.value, own, seed);
  }

 private:
  void draw(std::size_t n, RowMatrix& matrix, std::uint64_t seed) const override {
    draw_neumf_matrix(n == 0 ? 0 : n + 1, matrix, seed);
  }
  std::size_t width_;
};

// A step along the device's own draws for each example in its hand, longer for a higher label.
class ToyClassifier final : public LocalTask {
 public:
  ToyClassifier(const Examples& examples, const Dealt& hands, const ClassifierOptions& options)
      : examples_(examples), hands_(hands), layers_(classifier_layers(options, examples)) {}

  std::size_t parameters() const override { return layer_ends().back(); }
  std::vector<std::size_t> layer_ends() const override {
    std::vector<std::size_t> ends;
    for (const ClassifierLayer& layer : layers_)
      ends.push_back((ends.empty() ? 0 : ends.back()) + layer.parameters());
    return ends;
  }
  std::size_t devices() const override { return hands_.devices(); }
  bool takes_part(UserIndex device) const override { return !hands_.of(device).train.empty(); }
  void start(std::uint64_t seed, std::span<float> model) const override {
    for (std::size_t n = 0; n < layers_.size(); ++n) {
      draw_classifier_layer(n, layers_[n], model.first(layers_[n].parameters()), seed);
      model = model.subspan(layers_[n].parameters());
    }
  }
  Result<LocalReport> train(std::uint64_t seed, std::uint32_t round, UserIndex device,
                            const LocalTraining& how, std::span<float> model,
                            std::span<float>) const override {
    Stream draws(seed, Purpose::local_noise, round, device.value);
    for (std::uint32_t epoch = 0; epoch < how.epochs; ++epoch)
      for (const std::uint32_t place : hands_.of(device).train)
        for (std::size_t k = examples_.of(place)[0]; k < model.size(); k += 7)
          model[k] += 0.01f * how.rate * static_cast<float>(draws.normal()) *
                      static_cast<float>(1 + examples_.labels[place]);
    return LocalReport{.finite = how.rate < 1e20f};
  }

 private:
  const Examples& examples_;
  const Dealt& hands_;
  std::vector<ClassifierLayer> layers_;
};

class ToyNetworks final : public NetworkTasks {
 public:
  Status ready() const override { return Done{}; }
  Result<std::unique_ptr<LocalTask>> start_fed_multvae(const DeviceHistories& histories,
                                                       std::size_t catalogue,
                                                       const MultVaeOptions& options) const override {
    return std::unique_ptr<LocalTask>(std::make_unique<ToyVae>(histories, catalogue, options));
  }
  Result<std::unique_ptr<LocalTask>> start_fed_neumf(const DeviceHistories& histories, std::size_t catalogue,
                                                     const NeuMfOptions& options) const override {
    return std::unique_ptr<LocalTask>(std::make_unique<ToyNeuMf>(histories, catalogue, options));
  }
  Result<std::unique_ptr<LocalTask>> start_classifier(const Examples& examples, const Dealt& hands,
                                                      const ClassifierOptions& options) const override {
    return std::unique_ptr<LocalTask>(std::make_unique<ToyClassifier>(examples, hands, options));
  }
};

}  // namespace sotto::fed
