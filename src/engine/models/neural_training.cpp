#include "engine/models/neural_training.h"

#include "engine/models/networks.h"
#include "engine/train/neural_module.h"

namespace sotto::engine {

namespace {

class NetworkTraining final : public FactorTraining {
 public:
  NetworkTraining(std::unique_ptr<NeuralTraining> training, std::uint32_t epochs, Executor& executor)
      : training_(std::move(training)), executor_(executor) {
    schedule_.rounds_per_epoch = 1;
    schedule_.rounds = epochs;
  }

  [[nodiscard]] const Schedule& schedule() const override { return schedule_; }
  [[nodiscard]] Result<RoundReport> advance(std::uint32_t rounds) override {
    RoundReport report;
    for (std::uint32_t n = 0; n < rounds; ++n) {
      SOTTO_TRY(const NeuralEpoch epoch, training_->run_epoch(round_, executor_));
      ++round_;
      report.add({.rounds = 1, .triples = epoch.examples, .loss_units = epoch.loss_units});
    }
    return report;
  }
  [[nodiscard]] std::uint32_t round() const override { return round_; }
  [[nodiscard]] const RowMatrix& items() const override { return training_->items(); }
  [[nodiscard]] const RowMatrix& users() const override { return training_->users(); }
  [[nodiscard]] std::vector<RowMatrix> layers() const override { return training_->layers(); }
  [[nodiscard]] std::vector<RowMatrix> moments() const override { return training_->moments(); }
  void restore(std::uint32_t round, Parameters parameters) override {
    round_ = round;
    const bool fits = training_->restore(std::move(parameters.items), std::move(parameters.users.on_device()),
                                         std::move(parameters.layers));
    SOTTO_ASSERT(fits, "what is restored was checked to fit");
  }
  [[nodiscard]] Parameters take() override {
    return {training_->items(), Private(training_->users()), training_->layers()};
  }

 private:
  Schedule schedule_;
  std::unique_ptr<NeuralTraining> training_;
  Executor& executor_;
  std::uint32_t round_ = 0;
};

}  // namespace

Result<std::unique_ptr<FactorTraining>> start_neural_training(StartNetwork start, const TrainRequest& request,
                                                              const Split& split, Executor& executor) {
  SOTTO_TRY(const NeuralModule* module, open_neural_module());
  SOTTO_TRY(auto training, start(*module, split, network_options(request), request.plan.seed));
  return std::unique_ptr<FactorTraining>(
      std::make_unique<NetworkTraining>(std::move(training), request.plan.epochs, executor));
}

}  // namespace sotto::engine
