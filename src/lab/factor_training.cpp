#include "lab/factor_training.h"

#include "model/central/bpr_mf.h"

namespace sotto {

namespace {

class FplTraining final : public FactorTraining {
 public:
  FplTraining(const TrainRequest& request, const Schedule& schedule, const Split& split, Executor& executor,
              Storage* private_memory)
      : schedule_(schedule),
        federation_(Fpl(request.plan.fpl, split.catalogue, request.plan.seed), request.plan, schedule,
                    split.train, executor, request.wire ? Path::wire : Path::fast, private_memory) {}

  [[nodiscard]] const Schedule& schedule() const override { return schedule_; }
  [[nodiscard]] Result<RoundReport> advance(std::uint32_t rounds) override { return federation_.run(rounds); }
  [[nodiscard]] std::uint32_t round() const override { return federation_.state().round; }
  [[nodiscard]] const RowMatrix& items() const override { return federation_.state().shared; }
  [[nodiscard]] const RowMatrix& users() const override { return federation_.state().devices.on_device(); }
  void restore(std::uint32_t round, Parameters parameters) override {
    federation_.restore({round, std::move(parameters.items), std::move(parameters.users)});
  }
  [[nodiscard]] Parameters take() override {
    FederationState state = std::move(federation_).take();
    return {std::move(state.shared), std::move(state.devices)};
  }
  void count_updates(std::vector<std::uint64_t> so_far) override {
    federation_.count_updates(std::move(so_far));
  }
  [[nodiscard]] std::vector<std::uint64_t> item_updates() const override {
    return federation_.item_updates();
  }

 private:
  Schedule schedule_;
  Federation<Fpl> federation_;
};

class BprTraining final : public FactorTraining {
 public:
  BprTraining(std::unique_ptr<BprMf> model, std::uint32_t epochs, Executor& executor)
      : model_(std::move(model)), executor_(executor) {
    schedule_.rounds_per_epoch = 1;
    schedule_.rounds = epochs;
  }

  [[nodiscard]] const Schedule& schedule() const override { return schedule_; }
  [[nodiscard]] Result<RoundReport> advance(std::uint32_t rounds) override {
    RoundReport report;
    for (std::uint32_t n = 0; n < rounds; ++n) {
      SOTTO_TRY(const BprMf::Epoch epoch, model_->run_epoch(round_, executor_));
      ++round_;
      report.add({.rounds = 1, .triples = epoch.steps, .loss_units = epoch.loss_units});
    }
    return report;
  }
  [[nodiscard]] std::uint32_t round() const override { return round_; }
  [[nodiscard]] const RowMatrix& items() const override { return model_->items(); }
  [[nodiscard]] const RowMatrix& users() const override { return model_->users(); }
  void restore(std::uint32_t round, Parameters parameters) override {
    round_ = round;
    model_->restore(std::move(parameters.users.on_device()), std::move(parameters.items));
  }
  [[nodiscard]] Parameters take() override { return {model_->items(), Private(model_->users())}; }

 private:
  Schedule schedule_;
  std::unique_ptr<BprMf> model_;
  Executor& executor_;
  std::uint32_t round_ = 0;
};

BprMfOptions bpr_options(const TrainRequest& request) {
  const FplOptions& fpl = request.plan.fpl;
  return {.factors = fpl.factors,
          .learning_rate = fpl.learning_rate,
          .user_reg = fpl.user_reg,
          .positive_reg = fpl.positive_reg,
          .negative_reg = fpl.negative_reg,
          .init_sd = fpl.init_sd,
          .epochs = request.plan.epochs,
          .seed = request.plan.seed,
          .fold_in = {}};
}

}  // namespace

Result<std::unique_ptr<FactorTraining>> start_factor_training(const TrainRequest& request, const Split& split,
                                                              Executor& executor, Storage* private_memory) {
  if (request.model == ModelKind::fpl) {
    const std::size_t users = eligible_users(split.train, split.catalogue).size();
    SOTTO_TRY(const Schedule schedule, schedule_for(request.plan, users, split.train.interactions()));
    return std::unique_ptr<FactorTraining>(
        std::make_unique<FplTraining>(request, schedule, split, executor, private_memory));
  }
  if (request.model == ModelKind::bprmf) {
    SOTTO_TRY(auto model, BprMf::start(split.train, split.catalogue, bpr_options(request)));
    return std::unique_ptr<FactorTraining>(
        std::make_unique<BprTraining>(std::move(model), request.plan.epochs, executor));
  }
  return std::unique_ptr<FactorTraining>();
}

}  // namespace sotto
