#include <algorithm>
#include <limits>

#include "data/membership.h"
#include "neural/epoch.h"
#include "neural/neumf_step.h"
#include "neural/starts.h"
#include "neural/trainings.h"

namespace sotto::neural {

namespace {

class NeuMfTraining final : public NeuralTraining {
 public:
  NeuMfTraining(const Histories& train, std::size_t catalogue, const NeuralOptions& options,
                std::uint64_t seed)
      : catalogue_(static_cast<std::uint32_t>(catalogue)),
        options_(options),
        seed_(seed),
        consumed_(train, catalogue),
        network_(neumf_network_shapes(train.users(), catalogue, options.neumf)) {
    for (std::uint32_t user = 0; user < train.users(); ++user)
      if (const auto history = train.of(UserIndex{user});
          history.size() < catalogue)  // others have no negatives
        for (const ItemIndex item : history) positives_.push_back({UserIndex{user}, item, 1.0f});
    draw_neumf_shared(network_, seed);
    for (std::uint32_t user = 0; user < train.users(); ++user)
      draw_neumf_user(user, network_.value(neumf_net_users).values(user), seed);
  }

  [[nodiscard]] bool has_examples() const { return !positives_.empty(); }

  Result<NeuralEpoch> run_epoch(std::uint32_t epoch, Executor& executor) override {
    return guarded_epoch("NeuMF", epoch, [&] {
      std::vector<std::uint32_t> order(positives_.size());
      for (std::uint32_t n = 0; n < order.size(); ++n) order[n] = n;
      shuffle_for_epoch(order, seed_, epoch);
      const std::size_t steps = (order.size() + options_.batch - 1) / options_.batch;
      double loss = 0.0;
      for (std::size_t step = 0; step < steps; ++step) {
        const std::size_t begin = step * options_.batch;
        const auto chosen =
            std::span(order).subspan(begin, std::min<std::size_t>(options_.batch, order.size() - begin));
        loss += neumf_gradients(network_, options_.neumf, batch_of(chosen, epoch), executor);
        network_.step(std::uint64_t{epoch} * steps + step + 1, {options_.learning_rate, options_.l2},
                      executor);
      }
      return std::pair<std::uint64_t, double>(order.size() * (std::size_t{options_.neumf.negatives} + 1),
                                              loss);
    });
  }

  [[nodiscard]] const RowMatrix& items() const override { return network_.value(neumf_net_items); }
  [[nodiscard]] const RowMatrix& users() const override { return network_.value(neumf_net_users); }
  [[nodiscard]] std::vector<RowMatrix> layers() const override {
    return network_.values_from(neumf_net_layers);
  }
  [[nodiscard]] std::vector<RowMatrix> moments() const override { return network_.moments(); }
  [[nodiscard]] bool restore(RowMatrix items, RowMatrix users, std::vector<RowMatrix> rest) override {
    std::vector<RowMatrix> all;
    all.push_back(std::move(items));
    all.push_back(std::move(users));
    for (RowMatrix& matrix : rest) all.push_back(std::move(matrix));
    return network_.restore(std::move(all));
  }

 private:
  // Each interaction and, behind it, its negatives, drawn anew every epoch.
  [[nodiscard]] std::vector<NeuMfExample> batch_of(std::span<const std::uint32_t> chosen,
                                                   std::uint32_t epoch) const {
    std::vector<NeuMfExample> batch;
    for (const std::uint32_t n : chosen) {
      const NeuMfExample& positive = positives_[n];
      batch.push_back(positive);
      Stream draws(seed_, Purpose::neural_negatives, epoch, n);
      for (std::uint32_t k = 0; k < options_.neumf.negatives; ++k) {
        ItemIndex item{draws.below(catalogue_)};
        while (consumed_.contains(positive.user, item)) item.value = draws.below(catalogue_);
        batch.push_back({positive.user, item, 0.0f});
      }
    }
    return batch;
  }

  std::uint32_t catalogue_;
  NeuralOptions options_;
  std::uint64_t seed_;
  Membership consumed_;
  Network network_;
  std::vector<NeuMfExample> positives_;
};

}  // namespace

Result<std::unique_ptr<NeuralTraining>> start_neumf(const Histories& train, std::size_t catalogue,
                                                    const NeuralOptions& options, std::uint64_t seed) {
  if (train.interactions() > std::numeric_limits<std::uint32_t>::max())
    return fail(Code::bad_input, "NeuMF takes at most 4,294,967,295 interactions; sample the training part");
  use_one_thread_a_call();
  auto training = std::make_unique<NeuMfTraining>(train, catalogue, options, seed);
  if (!training->has_examples())
    return fail(Code::bad_input,
                "NeuMF has nothing to compare: nobody has interactions and lacks an item at once");
  return std::unique_ptr<NeuralTraining>(std::move(training));
}

}  // namespace sotto::neural
