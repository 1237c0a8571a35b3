#include <algorithm>
#include <cmath>

#include "neural/epoch.h"
#include "neural/starts.h"
#include "neural/trainings.h"
#include "neural/vae_step.h"

namespace sotto::neural {

namespace {

class VaeTraining final : public NeuralTraining {
 public:
  VaeTraining(const Histories& train, std::size_t catalogue, const NeuralOptions& options, std::uint64_t seed)
      : train_(train), options_(options), seed_(seed), network_(vae_network_shapes(catalogue, options.vae)) {
    for (std::size_t user = 0; user < train.users(); ++user)
      if (const UserIndex index{static_cast<std::uint32_t>(user)}; !train.of(index).empty())
        users_.push_back(index);
    draw_vae(network_, options.vae, seed);
  }

  Result<NeuralEpoch> run_epoch(std::uint32_t epoch, Executor& executor) override {
    return guarded_epoch("MultVAE", epoch, [&] {
      std::vector<UserIndex> order = users_;
      shuffle_for_epoch(order, seed_, epoch);
      const std::size_t steps = (order.size() + options_.batch - 1) / options_.batch;
      double loss = 0.0;
      for (std::size_t step = 0; step < steps; ++step) {
        const std::size_t begin = step * options_.batch;
        const auto chosen =
            std::span(order).subspan(begin, std::min<std::size_t>(options_.batch, order.size() - begin));
        const std::uint64_t before = std::uint64_t{epoch} * steps + step;
        const float beta = beta_after(before, steps);
        const VaeLoss found = vae_gradients(network_, batch_of(chosen, epoch, executor), beta, executor);
        network_.step(before + 1, {options_.learning_rate, options_.l2}, executor);
        loss += found.reconstruction + static_cast<double>(beta) * found.divergence;
      }
      return std::pair<std::uint64_t, double>(order.size(), loss);
    });
  }

  [[nodiscard]] const RowMatrix& items() const override { return network_.value(vae_net_items); }
  [[nodiscard]] const RowMatrix& users() const override { return nobody_; }
  [[nodiscard]] std::vector<RowMatrix> layers() const override {
    return network_.values_from(vae_net_layers);
  }
  [[nodiscard]] std::vector<RowMatrix> moments() const override { return network_.moments(); }
  [[nodiscard]] bool restore(RowMatrix items, RowMatrix users, std::vector<RowMatrix> rest) override {
    if (users.rows() != 0) return false;
    rest.insert(rest.begin(), std::move(items));
    return network_.restore(std::move(rest));
  }

 private:
  [[nodiscard]] float beta_after(std::uint64_t steps, std::size_t steps_per_epoch) const {
    const double rise =
        static_cast<double>(options_.vae.anneal_epochs) * static_cast<double>(steps_per_epoch);
    const double share = rise > 0.0 ? std::min(1.0, static_cast<double>(steps) / rise) : 1.0;
    return static_cast<float>(share * static_cast<double>(options_.vae.anneal_cap));
  }

  [[nodiscard]] VaeBatch batch_of(std::span<const UserIndex> chosen, std::uint32_t epoch,
                                  Executor& executor) const {
    VaeBatch batch;
    for (const UserIndex user : chosen) {
      const auto history = train_.of(user);
      batch.items.insert(batch.items.end(), history.begin(), history.end());
      batch.offsets.push_back(batch.items.size());
    }
    batch.inputs.resize(batch.items.size());
    batch.noise = RowMatrix(chosen.size(), options_.vae.latent);
    const float dropout = options_.vae.dropout;
    executor.run(chosen.size(), [&](std::size_t n) {
      const std::uint64_t begin = batch.offsets[n], end = batch.offsets[n + 1];
      const float share = 1.0f / (std::sqrt(static_cast<float>(end - begin)) * (1.0f - dropout));
      Stream kept(seed_, Purpose::neural_dropout, epoch, chosen[n].value);
      for (std::uint64_t at = begin; at < end; ++at)
        batch.inputs[at] = kept.chance(static_cast<double>(dropout)) ? 0.0f : share;
      Stream noise(seed_, Purpose::neural_noise, epoch, chosen[n].value);
      for (float& value : batch.noise.values(n)) value = static_cast<float>(noise.normal());
    });
    return batch;
  }

  const Histories& train_;
  NeuralOptions options_;
  std::uint64_t seed_;
  Network network_;
  RowMatrix nobody_;
  std::vector<UserIndex> users_;  // who has something to learn from
};

}  // namespace

Result<std::unique_ptr<NeuralTraining>> start_multvae(const Histories& train, std::size_t catalogue,
                                                      const NeuralOptions& options, std::uint64_t seed) {
  if (train.interactions() == 0)
    return fail(Code::bad_input, "MultVAE has nothing to learn from: the training part has no interactions");
  use_one_thread_a_call();
  return std::unique_ptr<NeuralTraining>(std::make_unique<VaeTraining>(train, catalogue, options, seed));
}

}  // namespace sotto::neural
