#include "engine/models/averaged_networks.h"

#include <fmt/core.h>

#include <utility>

#include "engine/models/networks.h"
#include "engine/protect/protection.h"
#include "engine/protect/training_consent.h"
#include "engine/protect/weighing.h"
#include "engine/train/history_training.h"
#include "engine/train/neural_module.h"
#include "model/averaging/flat_matrices.h"
#include "privacy/consented_histories.h"
#include "sim/averaging_federation.h"

namespace sotto::engine {

namespace {

// What a training is made of; the task looks at the histories.
struct AveragedParts {
  std::unique_ptr<ConsentedHistories> histories;
  std::unique_ptr<LocalTask> task;
  Protection protection;  // has a collector
};

class AveragedTraining final : public FactorTraining {
 public:
  AveragedTraining(AveragedParts parts, const AveragingPlan& plan, const Schedule& schedule,
                   std::vector<MatrixShape> shapes, Executor& executor)
      : parts_(std::move(parts)),
        schedule_(schedule),
        shapes_(std::move(shapes)),
        federation_(*parts_.task, plan, executor, *parts_.protection.first()) {
    look();
  }

  [[nodiscard]] const Schedule& schedule() const override { return schedule_; }
  [[nodiscard]] std::optional<WeighingTally> weighed() const override { return parts_.protection.weighed(); }
  [[nodiscard]] Status count_before(std::uint32_t rounds) override {
    return parts_.protection.count_before(rounds);
  }
  [[nodiscard]] Result<RoundReport> advance(std::uint32_t rounds) override {
    SOTTO_TRY(const RoundReport report, federation_.run(rounds));
    look();
    return report;
  }
  [[nodiscard]] std::uint32_t round() const override { return federation_.state().round; }
  [[nodiscard]] const RowMatrix& items() const override { return matrices_.front(); }
  [[nodiscard]] const RowMatrix& users() const override { return federation_.state().devices.on_device(); }
  [[nodiscard]] std::vector<RowMatrix> layers() const override {
    return {matrices_.begin() + 1, matrices_.end()};
  }
  [[nodiscard]] std::vector<RowMatrix> moments() const override { return {federation_.state().memory}; }
  void restore(std::uint32_t round, Parameters parameters) override {
    AveragingState state{.round = round,
                         .model = federation_.state().model,
                         .memory = std::move(parameters.layers.back()),
                         .devices = std::move(parameters.users)};
    parameters.layers.pop_back();
    matrices_ = std::move(parameters.layers);
    matrices_.insert(matrices_.begin(), std::move(parameters.items));
    const std::span<float> flat{state.model.row(0), parts_.task->parameters()};
    const std::vector<std::size_t> ends = flat_ends(shapes_);
    for (std::size_t n = 0, begin = 0; n < matrices_.size(); begin = ends[n++])
      flatten(matrices_[n], flat.subspan(begin, ends[n] - begin));
    federation_.restore(std::move(state));
  }
  [[nodiscard]] Parameters take() override {
    std::vector<RowMatrix> rest = layers();
    return {std::move(matrices_.front()), std::move(std::move(federation_).take().devices), std::move(rest)};
  }

 private:
  // The flat vector's matrices.
  void look() { matrices_ = matrices_of(federation_.model(), shapes_); }

  AveragedParts parts_;
  Schedule schedule_;
  std::vector<MatrixShape> shapes_;
  AveragingFederation federation_;
  std::vector<RowMatrix> matrices_;  // of the model now: the items' rows, then the layers
};

// The plan of the federation in which so many of so many are asked in a round.
AveragingPlan averaging_plan(const TrainRequest& request, const AveragedRates& usual, std::size_t cohort,
                             std::size_t users) {
  const NetworkSettings& own = request.model.own<NetworkSettings>();
  AveragingPlan plan{.seed = request.plan.seed,
                     .cohort = static_cast<double>(cohort) / static_cast<double>(users),
                     .local = {.epochs = own.local_epochs,
                               .batch = own.neural.batch,
                               .rate = own.local_rate.value_or(usual.device),
                               .proximal = own.proximal},
                     .server = {.step = request.server.step.value_or(ServerStep::adam),
                                .beta1 = request.server.beta1,
                                .beta2 = request.server.beta2},
                     .fixed = request.plan.fixed};
  plan.server.rate = request.server.rate.value_or(usual.of(plan.server.step));
  return plan;
}

}  // namespace

Status check_averaged(const TrainRequest& request, const AveragedRates& usual) {
  SOTTO_TRY_DONE(check(network_options(request)));
  const AveragingPlan plan = averaging_plan(request, usual, 1, 1);
  SOTTO_TRY_DONE(check(plan.local));
  SOTTO_TRY_DONE(check(plan.server));
  return Done{};
}

Result<std::unique_ptr<FactorTraining>> start_averaged_network(const AveragedNetwork& network,
                                                               const TrainRequest& request,
                                                               const Split& split, Executor& executor) {
  SOTTO_TRY(const Population population, people_with_histories(request, split));
  const Schedule& schedule = population.schedule;
  const NeuralOptions options = network_options(request);
  AveragedParts parts;
  parts.histories =
      std::make_unique<ConsentedHistories>(request.plan.consent, split.train, request.plan.seed);
  SOTTO_TRY(const NeuralModule* module, open_neural_module());
  SOTTO_TRY(parts.task, network.task(*module, *parts.histories, split.catalogue, options, schedule));
  const AveragingPlan plan = averaging_plan(request, network.rates, schedule.cohort, population.users.size());
  SOTTO_TRY_DONE(check(plan, *parts.task));
  const SumShape shape = averaging_shape(parts.task->parameters());
  SOTTO_TRY(parts.protection, protect(request, shape, executor));
  if (parts.protection.first() == nullptr)
    parts.protection.put_before(std::make_unique<PlainCollector>(shape));
  // The last row is a device's count, no part of its step.
  SOTTO_TRY_DONE(
      put_weighing_before(parts.protection, request, split, shape, population, executor, shape.rows - 1));
  SOTTO_TRY_DONE(watch_device(request, split, shape, parts.protection));
  return std::unique_ptr<FactorTraining>(std::make_unique<AveragedTraining>(
      std::move(parts), plan, schedule, network.shapes(request, split.catalogue), executor));
}

}  // namespace sotto::engine
