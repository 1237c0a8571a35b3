#include <algorithm>
#include <cmath>
#include <exception>

#include "base/assert.h"
#include "base/rng.h"
#include "neural/accelerator.h"
#include "neural/local_step.h"
#include "neural/recommender_tasks.h"
#include "neural/starts.h"
#include "neural/trainings.h"
#include "neural/vae_step.h"

namespace sotto::neural {

namespace {

class MultVaeTask final : public LocalTask {
 public:
  MultVaeTask(const DeviceHistories& histories, std::size_t catalogue, const MultVaeOptions& options)
      : histories_(histories),
        options_(options),
        shapes_(vae_network_shapes(catalogue, options)),
        shared_(shapes_, {vae_net_items, vae_net_layers + vae_input, vae_net_layers + vae_code,
                          vae_net_layers + vae_decoder}) {}

  [[nodiscard]] std::size_t parameters() const override { return shared_.ends().back(); }
  [[nodiscard]] std::vector<std::size_t> layer_ends() const override { return shared_.ends(); }
  [[nodiscard]] std::size_t devices() const override { return histories_.asked().users(); }
  [[nodiscard]] bool takes_part(UserIndex device) const override {
    return !histories_.asked().of(histories_.place_of(device)).empty();
  }
  [[nodiscard]] bool answers(UserIndex device) const override {
    return !histories_.trainable().of(histories_.place_of(device)).empty();
  }

  void start(std::uint64_t seed, std::span<float> model) const override {
    Network network(shapes_, Moments::none);
    draw_vae(network, options_, seed);
    shared_.write(network, model);
  }

  [[nodiscard]] Result<LocalReport> train(std::uint64_t seed, std::uint32_t round, UserIndex device,
                                          const LocalTraining& how, std::span<float> model,
                                          std::span<float>) const override try {
    SOTTO_ASSERT(model.size() == parameters(), "the vector has the network's length");
    const std::vector<ItemIndex> history = histories_.spoken(round, device);
    if (history.empty()) return LocalReport{};  // nothing to say this time: the model goes back as it came
    keep_to_this_thread();
    SerialExecutor serial;
    Network network(shapes_, Moments::none);
    shared_.read(model, network);
    Stream dropout(seed, Purpose::local_dropout, round, device.value);
    Stream noise(seed, Purpose::local_noise, round, device.value);
    const float beta = beta_in(round);
    double loss = 0.0;
    for (std::uint32_t epoch = 0; epoch < how.epochs; ++epoch) {
      const VaeLoss found = vae_gradients(network, visit(history, dropout, noise), beta, serial);
      shared_.step(network, how, model);
      loss += found.reconstruction + static_cast<double>(beta) * found.divergence;
    }
    shared_.write(network, model);
    return report_of(how.epochs, loss, model, {});
  } catch (const std::exception& error) {
    return torch_error("training MultVAE", error.what());
  }

 private:
  [[nodiscard]] float beta_in(std::uint32_t round) const {
    if (round >= options_.anneal_epochs) return options_.anneal_cap;
    return options_.anneal_cap * static_cast<float>(round) / static_cast<float>(options_.anneal_epochs);
  }

  // The history as the network sees it this time: some items dropped, and the code's noise.
  [[nodiscard]] VaeBatch visit(const std::vector<ItemIndex>& history, Stream& dropout, Stream& noise) const {
    VaeBatch batch;
    batch.items = history;
    batch.offsets.push_back(history.size());
    const float share = 1.0f / (std::sqrt(static_cast<float>(history.size())) * (1.0f - options_.dropout));
    for (std::size_t n = 0; n < history.size(); ++n)
      batch.inputs.push_back(dropout.chance(static_cast<double>(options_.dropout)) ? 0.0f : share);
    batch.noise = RowMatrix(1, options_.latent);
    for (float& value : batch.noise.values(0)) value = static_cast<float>(noise.normal());
    return batch;
  }

  const DeviceHistories& histories_;
  MultVaeOptions options_;
  std::vector<MatrixShape> shapes_;
  SharedMatrices shared_;
};

}  // namespace

Result<std::unique_ptr<LocalTask>> start_fed_multvae(const DeviceHistories& histories, std::size_t catalogue,
                                                     const MultVaeOptions& options) {
  if (histories.asked().interactions() == 0)
    return fail(Code::bad_input, "MultVAE has nothing to learn from: the training part has no interactions");
  use_one_thread_a_call();
  return std::unique_ptr<LocalTask>(std::make_unique<MultVaeTask>(histories, catalogue, options));
}

}  // namespace sotto::neural
