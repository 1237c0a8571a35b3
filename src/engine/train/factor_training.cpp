#include "engine/train/factor_training.h"

#include "base/assert.h"
#include "engine/models/averaged_networks.h"
#include "engine/models/content_models.h"
#include "engine/models/factor_options.h"
#include "engine/models/fedcars_model.h"
#include "engine/models/kgflex_model.h"
#include "engine/models/neural_training.h"
#include "engine/protect/dp.h"
#include "engine/protect/protection.h"
#include "engine/protect/training_consent.h"
#include "engine/protect/weighing.h"
#include "engine/train/tail_average.h"
#include "model/fedcars/fedcars_recommender.h"
#include "model/kgflex/kgflex_central.h"
#include "model/kgflex/kgflex_recommender.h"
#include "sim/history_federation.h"

namespace sotto {

namespace {

class FplTraining final : public FactorTraining {
 public:
  FplTraining(const TrainRequest& request, const Fpl& model, const Schedule& schedule, const Split& split,
              Executor& executor, Storage* private_memory, Protection protection)
      : schedule_(schedule),
        protection_(std::move(protection)),
        federation_(model, request.plan, schedule, split.train, executor,
                    request.wire ? Path::wire : Path::fast, private_memory) {
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
  void restore(std::uint32_t round, Parameters parameters) override {
    federation_.restore({round, std::move(parameters.items), std::move(parameters.users)});
  }
  [[nodiscard]] Parameters take() override {
    FederationState state = std::move(federation_).take();
    return {std::move(state.shared), std::move(state.devices), {}};
  }
  void count_updates(std::vector<std::uint64_t> so_far) override {
    federation_.count_updates(std::move(so_far));
  }
  [[nodiscard]] std::vector<std::uint64_t> item_updates() const override {
    return federation_.item_updates();
  }

 private:
  Schedule schedule_;
  Protection protection_;
  Federation<Fpl> federation_;
};

// A view of models that need more than two matrices; nothing for the others.
template <class Model>
std::unique_ptr<Recommender> view_of(const Model& model, const RowMatrix& users, const RowMatrix& items) {
  if constexpr (std::is_same_v<Model, Kgflex>)
    return std::make_unique<KgflexRecommender>(model, &users, &items);
  else if constexpr (std::is_same_v<Model, Fedcars>)
    return std::make_unique<FedcarsRecommender>(model, &items);
  else if constexpr (requires { model.model(); })
    return view_of(model.model(), users, items);
  return nullptr;
}

// Models where all data lies in one place: an epoch is one round.
template <class Model>
class CentralTraining final : public FactorTraining {
 public:
  CentralTraining(std::unique_ptr<Model> model, std::uint32_t epochs, Executor& executor)
      : model_(std::move(model)), executor_(executor) {
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
    return view_of(*model_, users, items);
  }
  [[nodiscard]] Parameters take() override { return {model_->items(), Private(model_->users()), {}}; }

 private:
  static constexpr bool has_biases = requires(const Model& model) { model.biases(); };

  Schedule schedule_;
  std::unique_ptr<Model> model_;
  Executor& executor_;
  std::uint32_t round_ = 0;
};

// Models whose devices answer with statistics of their history.
template <class Model>
class HistoryTraining final : public FactorTraining {
 public:
  HistoryTraining(const Model& model, const TrainRequest& request, const Schedule& schedule,
                  const Split& split, Executor& executor, Protection protection)
      : schedule_(schedule),
        protection_(std::move(protection)),
        model_(model),
        histories_(participants(request, split.train)),
        federation_(model, request.plan, schedule, histories_, executor,
                    request.wire ? Path::wire : Path::fast) {
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
    return view_of(model_, users, items);
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
};

using Started = Result<std::unique_ptr<FactorTraining>>;

template <class Model, class Options>
Started start_central(const TrainRequest& request, const Split& split, const Options& options,
                      Executor& executor) {
  SOTTO_TRY(auto model, Model::start(split.train, split.catalogue, options));
  return std::unique_ptr<FactorTraining>(
      std::make_unique<CentralTraining<Model>>(std::move(model), request.plan.epochs, executor));
}

Started start_fpl(const TrainRequest& request, const Split& split, Executor& executor,
                  Storage* private_memory) {
  const std::size_t users = eligible_users(split.train, split.catalogue).size();
  SOTTO_TRY(const Schedule schedule, schedule_for(request.plan, users, split.train.interactions()));
  const Fpl model(request.plan.fpl, split.catalogue, request.plan.seed);
  SOTTO_TRY(const TrainRequest noisy, with_noise(request, schedule.rounds, split));
  const SumShape shape{model.shared_rows(), model.shared_width()};
  SOTTO_TRY(Protection protection, protect(noisy, shape, executor));
  SOTTO_TRY_DONE(
      put_weighing_before(protection, request, split, shape, selectable(request, split, schedule), executor));
  SOTTO_TRY_DONE(watch_device(request, split, shape, protection));
  return std::unique_ptr<FactorTraining>(std::make_unique<FplTraining>(
      request, model, schedule, split, executor, private_memory, std::move(protection)));
}

template <class Model>
Started start_history_model(const Model& model, const TrainRequest& request, const Schedule& schedule,
                            const Split& split, Executor& executor) {
  SOTTO_TRY(const TrainRequest noisy, with_noise(request, schedule.rounds, split));
  const SumShape shape{model.sum_rows(), model.sum_width()};
  SOTTO_TRY(Protection protection, protect(noisy, shape, executor));
  SOTTO_TRY_DONE(
      put_weighing_before(protection, request, split, shape, selectable(request, split, schedule), executor));
  SOTTO_TRY_DONE(watch_device(request, split, shape, protection));
  return std::unique_ptr<FactorTraining>(std::make_unique<HistoryTraining<Model>>(
      model, request, schedule, split, executor, std::move(protection)));
}

Started start_kgflex_central(const TrainRequest& request, const Split& split, Executor& executor) {
  SOTTO_TRY(Kgflex model, make_kgflex(request, split, executor));
  return std::unique_ptr<FactorTraining>(std::make_unique<CentralTraining<KgflexCentral>>(
      std::make_unique<KgflexCentral>(std::move(model)), request.plan.epochs, executor));
}

Started start_history(const TrainRequest& request, const Split& split, Executor& executor) {
  const std::size_t users = users_with_history(participants(request, split.train)).size();
  SOTTO_TRY(const Schedule schedule, history_schedule_for(request.plan, users));
  if (request.model == ModelKind::kgflex) {
    SOTTO_TRY(const Kgflex model, make_kgflex(request, split, executor));
    return start_history_model(model, request, schedule, split, executor);
  }
  if (request.model == ModelKind::fedcars) {
    SOTTO_TRY(const Fedcars model, make_fedcars(request, split));
    return start_history_model(model, request, schedule, split, executor);
  }
  if (request.model == ModelKind::fedals)
    return start_history_model(FedAls(als_options(request), split.catalogue), request, schedule, split,
                               executor);
  const double share = static_cast<double>(schedule.cohort) / static_cast<double>(users);
  const Fcf model(fcf_options(request), split.catalogue, share);
  return start_history_model(model, request, schedule, split, executor);
}

Started start_any(const TrainRequest& request, const Split& split, Executor& executor,
                  Storage* private_memory) {
  switch (request.model) {
    case ModelKind::fpl:
      return start_fpl(request, split, executor, private_memory);
    case ModelKind::bprmf:
      return start_central<BprMf>(request, split, bpr_options(request), executor);
    case ModelKind::kahfm: {
      SOTTO_TRY(auto model, start_kahfm(request, split));
      return std::unique_ptr<FactorTraining>(
          std::make_unique<CentralTraining<BprMf>>(std::move(model), request.plan.epochs, executor));
    }
    case ModelKind::ials:
      return start_central<Ials>(request, split, als_options(request), executor);
    case ModelKind::warp:
      return start_central<Warp>(request, split, warp_options(request), executor);
    case ModelKind::mf:
      return start_central<LogisticMf>(request, split, logistic_options(request), executor);
    case ModelKind::fedals:
    case ModelKind::fcf:
    case ModelKind::kgflex:
    case ModelKind::fedcars:
      return start_history(request, split, executor);
    case ModelKind::kgflex_central:
      return start_kgflex_central(request, split, executor);
    case ModelKind::multvae:
    case ModelKind::neumf:
      return start_neural_training(request, split, executor);
    case ModelKind::fedmultvae:
    case ModelKind::fedneumf:
      return start_averaged_network(request, split, executor);
    default:
      return std::unique_ptr<FactorTraining>();
  }
}

}  // namespace

void FactorTraining::collect_with(Collector& /*collector*/) {
  SOTTO_ASSERT(false, "a central model has no contributions");
}

Result<std::unique_ptr<FactorTraining>> start_factor_training(const TrainRequest& asked, const Split& split,
                                                              Executor& executor, Storage* private_memory) {
  SOTTO_TRY(const TrainRequest request, with_people(asked, split));
  SOTTO_TRY(auto training, start_any(request, split, executor, private_memory));
  if (training == nullptr || request.average_last == 0) return training;
  return std::unique_ptr<FactorTraining>(
      std::make_unique<TailAverage>(std::move(training), request.average_last));
}

}  // namespace sotto
