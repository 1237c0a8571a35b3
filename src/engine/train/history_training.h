// HistoryTraining: a federated model whose devices answer with statistics of their history, seen like any
// training, with the request's protections before its sum.
#pragma once

#include "engine/plan/model_entry.h"
#include "engine/protect/dp.h"
#include "engine/protect/protection.h"
#include "engine/protect/training_consent.h"
#include "engine/protect/weighing.h"
#include "engine/train/factor_training.h"
#include "sim/history_federation.h"

namespace sotto::engine {

template <class Model>
class HistoryTraining final : public FactorTraining {
 public:
  HistoryTraining(const Model& model, const TrainRequest& request, const Schedule& schedule,
                  Histories histories, Executor& executor, Protection protection, ModelView<Model> seen)
      : schedule_(schedule),
        protection_(std::move(protection)),
        model_(model),
        histories_(std::move(histories)),
        federation_(model, request.plan, schedule, histories_, executor,
                    request.wire ? Path::wire : Path::fast),
        view_(seen) {
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
    return view_ ? view_(model_, users, items) : nullptr;
  }
  [[nodiscard]] std::vector<RowMatrix> moments() const override { return {federation_.state().memory}; }
  void restore(std::uint32_t round, Parameters parameters) override {
    federation_.restore({round, std::move(parameters.items), std::move(parameters.users),
                         std::move(parameters.layers.front())});
  }
  [[nodiscard]] Parameters take() override {
    HistoryState state = std::move(federation_).take();
    return {std::move(state.shared), std::move(state.devices), {}};
  }

 private:
  Schedule schedule_;
  Protection protection_;
  Model model_;
  Histories histories_;  // of those who answer
  HistoryFederation<Model> federation_;
  ModelView<Model> view_;
};

// The usual population: everybody with a history.
[[nodiscard]] Result<Population> people_with_histories(const TrainRequest& request, const Split& split);

// `histories` are those of the people who answer; `view` sees models that need more than two matrices.
template <class Model>
[[nodiscard]] Result<std::unique_ptr<FactorTraining>> start_history_model(
    const Model& model, const TrainRequest& request, const Split& split, Executor& executor,
    Histories histories, ModelView<Model> view = nullptr) {
  SOTTO_TRY(const Population population, request.model->population(request, split));
  SOTTO_TRY(const TrainRequest noisy, with_noise(request, population.schedule.rounds, split));
  const SumShape shape{model.sum_rows(), model.sum_width()};
  SOTTO_TRY(Protection protection, protect(noisy, shape, executor));
  SOTTO_TRY_DONE(put_weighing_before(protection, request, split, shape, population, executor));
  SOTTO_TRY_DONE(watch_device(request, split, shape, protection));
  return std::unique_ptr<FactorTraining>(std::make_unique<HistoryTraining<Model>>(
      model, request, population.schedule, std::move(histories), executor, std::move(protection), view));
}

}  // namespace sotto::engine
