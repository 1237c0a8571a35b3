// CentralTraining: a model where all data lies in one place, seen like any training. An epoch is one round.
#pragma once

#include "engine/train/factor_training.h"

namespace sotto::engine {

template <class Model>
class CentralTraining final : public FactorTraining {
 public:
  CentralTraining(std::unique_ptr<Model> model, std::uint32_t epochs, Executor& executor,
                  ModelView<Model> seen = nullptr)
      : model_(std::move(model)), executor_(executor), view_(seen) {
    schedule_.rounds_per_epoch = 1;
    schedule_.rounds = epochs;
  }

  [[nodiscard]] const Schedule& schedule() const override { return schedule_; }
  [[nodiscard]] Result<RoundReport> advance(std::uint32_t rounds) override {
    RoundReport report;
    for (std::uint32_t n = 0; n < rounds; ++n) {
      SOTTO_TRY(const auto epoch, model_->run_epoch(round_, executor_));
      ++round_;
      report.add({.rounds = 1, .triples = epoch.steps, .loss_units = epoch.loss_units});
    }
    return report;
  }
  [[nodiscard]] std::uint32_t round() const override { return round_; }
  [[nodiscard]] const RowMatrix& items() const override { return model_->items(); }
  [[nodiscard]] const RowMatrix& users() const override { return model_->users(); }
  [[nodiscard]] std::vector<RowMatrix> moments() const override {
    if constexpr (has_biases) return {model_->biases()};
    return {};
  }
  void restore(std::uint32_t round, Parameters parameters) override {
    round_ = round;
    RowMatrix& users = parameters.users.on_device();
    if constexpr (has_biases)
      model_->restore(std::move(users), std::move(parameters.items), std::move(parameters.layers.front()));
    else
      model_->restore(std::move(users), std::move(parameters.items));
  }
  [[nodiscard]] std::unique_ptr<Recommender> view(const RowMatrix& users,
                                                  const RowMatrix& items) const override {
    return view_ ? view_(*model_, users, items) : nullptr;
  }
  [[nodiscard]] Parameters take() override { return {model_->items(), Private(model_->users()), {}}; }

 private:
  static constexpr bool has_biases = requires(const Model& model) { model.biases(); };

  Schedule schedule_;
  std::unique_ptr<Model> model_;
  Executor& executor_;
  ModelView<Model> view_;
  std::uint32_t round_ = 0;
};

// The training of a Model that starts from the histories and options of its own.
template <class Model, class Options>
[[nodiscard]] Result<std::unique_ptr<FactorTraining>> start_central(const TrainRequest& request,
                                                                    const Split& split,
                                                                    const Options& options,
                                                                    Executor& executor) {
  SOTTO_TRY(auto model, Model::start(split.train, split.catalogue, options));
  return std::unique_ptr<FactorTraining>(
      std::make_unique<CentralTraining<Model>>(std::move(model), request.plan.epochs, executor));
}

}  // namespace sotto::engine
