// FederatedTraining: a federation of the simulator (sim/round_driver.h), seen like any training, with the
// request's protections before its sum.
#pragma once

#include <functional>

#include "engine/plan/model_entry.h"
#include "engine/protect/protection.h"
#include "engine/train/factor_training.h"
#include "sim/history_federation.h"

namespace sotto::engine {

// `Kept` is what the federation looks at.
template <class Federation, class Kept>
class FederatedTraining : public FactorTraining {
 public:
  using Seen = std::function<std::unique_ptr<Recommender>(const RowMatrix& users, const RowMatrix& items)>;

  // start(kept) makes the federation; `seen` is for models that need more than two matrices.
  template <class Start>
  FederatedTraining(const Schedule& schedule, Protection protection, Kept kept, const Start& start,
                    Seen seen = {})
      : schedule_(schedule),
        protection_(std::move(protection)),
        kept_(std::move(kept)),
        federation_(start(std::as_const(kept_))),
        seen_(std::move(seen)) {
    if (Collector* first = protection_.first()) federation_.collect_with(*first);
  }

  [[nodiscard]] const Schedule& schedule() const override { return schedule_; }
  [[nodiscard]] std::optional<PrivacySpent> privacy() const override { return protection_.spent(); }
  [[nodiscard]] std::optional<WeighingTally> weighed() const override { return protection_.weighed(); }
  [[nodiscard]] Status count_before(std::uint32_t rounds) override {
    return protection_.count_before(rounds);
  }
  void collect_with(Collector& collector) override { federation_.collect_with(collector); }
  [[nodiscard]] Result<RoundReport> advance(std::uint32_t rounds) override { return federation_.run(rounds); }
  [[nodiscard]] std::uint32_t round() const override { return federation_.state().round; }
  [[nodiscard]] const RowMatrix& items() const override { return federation_.state().shared; }
  [[nodiscard]] const RowMatrix& users() const override { return federation_.state().devices.on_device(); }
  [[nodiscard]] std::unique_ptr<Recommender> view(const RowMatrix& users,
                                                  const RowMatrix& items) const override {
    return seen_ ? seen_(users, items) : nullptr;
  }
  [[nodiscard]] std::vector<RowMatrix> moments() const override { return {federation_.state().memory}; }
  void restore(std::uint32_t round, Parameters parameters) override {
    FederationState state{round, std::move(parameters.items), std::move(parameters.users)};
    if (!parameters.layers.empty()) state.memory = std::move(parameters.layers.back());
    federation_.restore(std::move(state));
  }
  [[nodiscard]] Parameters take() override {
    FederationState state = std::move(federation_).take();
    return {std::move(state.shared), std::move(state.devices), {}};
  }

 private:
  Schedule schedule_;
  Protection protection_;
  Kept kept_;

 protected:
  Federation federation_;

 private:
  Seen seen_;
};

// What stands between the devices and the sum of a training in rounds: noise, criteria, a person's ledger.
// The first `model_rows` rows of a contribution are a step of the model.
[[nodiscard]] Result<Protection> protect_rounds(const TrainRequest& request, const Split& split,
                                                const Population& population, SumShape shape,
                                                Executor& executor, std::size_t model_rows = SIZE_MAX);

// The usual population: everybody with a history.
[[nodiscard]] Result<Population> people_with_histories(const TrainRequest& request, const Split& split);

// A model that answers with statistics of a history. `histories` are those of the people who answer.
template <class Model>
[[nodiscard]] Result<std::unique_ptr<FactorTraining>> start_history_model(
    const Model& model, const TrainRequest& request, const Split& split, Executor& executor,
    Histories histories, ModelView<Model> view = nullptr) {
  SOTTO_TRY(const Population population, request.model->population(request, split));
  SOTTO_TRY(Protection protection,
            protect_rounds(request, split, population, {model.sum_rows(), model.sum_width()}, executor));
  using Training = FederatedTraining<HistoryFederation<Model>, Histories>;
  typename Training::Seen seen;
  if (view != nullptr)
    seen = [model, view](const RowMatrix& users, const RowMatrix& items) {
      return view(model, users, items);
    };
  const auto start = [&](const Histories& kept) {
    return HistoryFederation<Model>(model, request.plan, population.schedule, kept, executor,
                                    request.wire ? Path::wire : Path::fast);
  };
  return std::unique_ptr<FactorTraining>(std::make_unique<Training>(
      population.schedule, std::move(protection), std::move(histories), start, std::move(seen)));
}

}  // namespace sotto::engine
