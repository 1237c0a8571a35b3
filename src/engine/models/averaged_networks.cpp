#include "engine/models/averaged_networks.h"

#include <fmt/core.h>

#include <utility>

#include "engine/models/networks.h"
#include "engine/train/federated_training.h"
#include "engine/train/neural_module.h"
#include "model/averaging/flat_matrices.h"
#include "privacy/consented_histories.h"
#include "sim/averaging_federation.h"

namespace sotto::engine {

namespace {

// What the federation looks at; the task looks at the histories.
struct AveragedParts {
  std::unique_ptr<ConsentedHistories> histories;
  std::unique_ptr<LocalTask> task;
};

class AveragedTraining final : public FederatedTraining<AveragingFederation, AveragedParts> {
 public:
  template <class Start>
  AveragedTraining(const Schedule& schedule, Protection protection, AveragedParts parts, const Start& start,
                   std::vector<MatrixShape> shapes)
      : FederatedTraining(schedule, std::move(protection), std::move(parts), start),
        shapes_(std::move(shapes)) {
    look();
  }

  [[nodiscard]] Result<RoundReport> advance(std::uint32_t rounds) override {
    SOTTO_TRY(const RoundReport report, federation_.run(rounds));
    look();
    return report;
  }
  [[nodiscard]] const RowMatrix& items() const override { return matrices_.front(); }
  [[nodiscard]] std::vector<RowMatrix> layers() const override {
    return {matrices_.begin() + 1, matrices_.end()};
  }
  void restore(std::uint32_t round, Parameters parameters) override {
    matrices_.assign(1, std::move(parameters.items));
    std::move(parameters.layers.begin(), parameters.layers.end() - 1, std::back_inserter(matrices_));
    parameters.items = federation_.state().shared;
    float* at = parameters.items.row(0);
    for (const RowMatrix& matrix : matrices_) {
      flatten(matrix, {at, matrix.rows() * matrix.width()});
      at += matrix.rows() * matrix.width();
    }
    FederatedTraining::restore(round, std::move(parameters));
  }
  [[nodiscard]] Parameters take() override {
    Parameters parameters = FederatedTraining::take();
    parameters.layers = layers();
    parameters.items = std::move(matrices_.front());
    return parameters;
  }

 private:
  // The flat vector's matrices.
  void look() { matrices_ = matrices_of(federation_.model(), shapes_); }

  std::vector<MatrixShape> shapes_;
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
  // The last row is a device's count, no part of its step.
  SOTTO_TRY(Protection protection,
            protect_rounds(request, split, population, shape, executor, shape.rows - 1));
  if (protection.first() == nullptr) protection.put_before(std::make_unique<PlainCollector>(shape));
  Collector& first = *protection.first();
  const auto start = [&](const AveragedParts& kept) {
    return AveragingFederation(*kept.task, plan, executor, first);
  };
  return std::unique_ptr<FactorTraining>(std::make_unique<AveragedTraining>(
      schedule, std::move(protection), std::move(parts), start, network.shapes(request, split.catalogue)));
}

}  // namespace sotto::engine
