#include <algorithm>
#include <exception>
#include <utility>

#include "base/assert.h"
#include "base/rng.h"
#include "neural/accelerator.h"
#include "neural/epoch.h"
#include "neural/local_step.h"
#include "neural/neumf_step.h"
#include "neural/recommender_tasks.h"
#include "neural/starts.h"
#include "neural/trainings.h"

namespace sotto::neural {

namespace {

std::vector<std::size_t> all_but_users(std::size_t matrices) {
  std::vector<std::size_t> shared;
  for (std::size_t n = 0; n < matrices; ++n)
    if (n != neumf_net_users) shared.push_back(n);
  return shared;
}

class NeuMfTask final : public LocalTask {
 public:
  NeuMfTask(const DeviceHistories& histories, std::size_t catalogue, const NeuMfOptions& options)
      : histories_(histories),
        catalogue_(static_cast<std::uint32_t>(catalogue)),
        options_(options),
        shapes_(neumf_network_shapes(1, catalogue, options)),
        shared_(shapes_, all_but_users(shapes_.size())) {}

  [[nodiscard]] std::size_t parameters() const override { return shared_.ends().back(); }
  [[nodiscard]] std::vector<std::size_t> layer_ends() const override { return shared_.ends(); }
  [[nodiscard]] std::size_t devices() const override { return histories_.asked().users(); }
  [[nodiscard]] bool takes_part(UserIndex device) const override {
    return !histories_.asked().of(histories_.place_of(device)).empty();
  }
  // Who has everything has no negatives.
  [[nodiscard]] bool answers(UserIndex device) const override {
    const std::size_t size = histories_.trainable().of(histories_.place_of(device)).size();
    return size > 0 && size < catalogue_;
  }

  void start(std::uint64_t seed, std::span<float> model) const override {
    Network network(shapes_, Moments::none);
    draw_neumf_shared(network, seed);
    shared_.write(network, model);
  }
  [[nodiscard]] std::size_t private_width() const override { return neumf_row_width(options_); }
  void start_private(std::uint64_t seed, UserIndex device, std::span<float> own) const override {
    draw_neumf_user(device.value, own, seed);
  }

  [[nodiscard]] Result<LocalReport> train(std::uint64_t seed, std::uint32_t round, UserIndex device,
                                          const LocalTraining& how, std::span<float> model,
                                          std::span<float> own) const override try {
    SOTTO_ASSERT(model.size() == parameters() && own.size() == private_width(),
                 "the vectors have the network's lengths");
    std::vector<ItemIndex> history = histories_.spoken(round, device);
    if (history.empty()) return LocalReport{};  // nothing to say this time: the model goes back as it came
    keep_to_this_thread();
    SerialExecutor serial;
    Network network(shapes_, Moments::none);
    shared_.read(model, network);
    const std::span<float> row = network.value(neumf_net_users).values(0);
    std::ranges::copy(own, row.begin());
    Stream order(seed, Purpose::local_order, round, device.value);
    Stream negatives(seed, Purpose::local_negatives, round, device.value);
    const std::size_t batch =
        how.batch == 0 ? history.size() : std::min<std::size_t>(how.batch, history.size());
    double loss = 0.0;
    for (std::uint32_t epoch = 0; epoch < how.epochs; ++epoch) {
      if (batch < history.size()) shuffle(history, order);
      for (std::size_t begin = 0; begin < history.size(); begin += batch) {
        const auto some = std::span(history).subspan(begin, std::min(batch, history.size() - begin));
        loss += neumf_gradients(network, options_, with_negatives(device, some, negatives), serial);
        shared_.step(network, how, model);
        const float* slope = network.gradient(neumf_net_users).row(0);
        for (std::size_t k = 0; k < row.size(); ++k) row[k] -= how.rate * slope[k];
      }
    }
    shared_.write(network, model);
    std::ranges::copy(row, own.begin());
    return report_of(std::uint64_t{how.epochs} * history.size() * (options_.negatives + 1), loss, model, own);
  } catch (const std::exception& error) {
    return torch_error("training NeuMF", error.what());
  }

 private:
  // Each interaction and, behind it, its negatives. The network has one user: the device's.
  [[nodiscard]] std::vector<NeuMfExample> with_negatives(UserIndex device, std::span<const ItemIndex> items,
                                                         Stream& draws) const {
    const UserIndex place = histories_.place_of(device);
    std::vector<NeuMfExample> batch;
    for (const ItemIndex positive : items) {
      batch.push_back({UserIndex{0}, positive, 1.0f});
      for (std::uint32_t k = 0; k < options_.negatives; ++k) {
        ItemIndex item{draws.below(catalogue_)};
        while (histories_.trainable().contains(place, item)) item.value = draws.below(catalogue_);
        batch.push_back({UserIndex{0}, item, 0.0f});
      }
    }
    return batch;
  }

  const DeviceHistories& histories_;
  std::uint32_t catalogue_;
  NeuMfOptions options_;
  std::vector<MatrixShape> shapes_;
  SharedMatrices shared_;
};

}  // namespace

Result<std::unique_ptr<LocalTask>> start_fed_neumf(const DeviceHistories& histories, std::size_t catalogue,
                                                   const NeuMfOptions& options) {
  use_one_thread_a_call();
  auto task = std::make_unique<NeuMfTask>(histories, catalogue, options);
  for (std::uint32_t user = 0; user < task->devices(); ++user)
    if (task->answers(UserIndex{user})) return std::unique_ptr<LocalTask>(std::move(task));
  return fail(Code::bad_input,
              "NeuMF has nothing to compare: nobody has interactions and lacks an item at once");
}

}  // namespace sotto::neural
