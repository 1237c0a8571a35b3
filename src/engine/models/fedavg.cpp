// Classifiers by federated averaging (McMahan et al. 2017), with criteria by which devices count more or less
// (thesis, chapter 5). It has a loop of its own (engine/averaging), because every round ends with a look at
// each device's own examples.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/averaging/averaging_json.h"
#include "engine/averaging/averaging_world.h"
#include "engine/models/all_models.h"
#include "engine/train/training.h"

namespace sotto::engine {

namespace {

Status check_data(const TrainRequest& request, const Split& split) {
  SOTTO_TRY(const AveragingRequest asked, averaging_of(request));
  SOTTO_TRY_DONE(check_accelerator(asked.classifier.accelerator));
  SOTTO_TRY_DONE(check_measurable(asked.criteria.order, *split.examples->examples));
  SOTTO_TRY_DONE(check_cohort(asked, split.users.size()));
  SOTTO_TRY(const auto world, AveragingWorld::make(asked.classifier, split.examples));
  return check_run(asked, world->task());
}

TrainProgress progress_of(const AveragingRound& round, std::uint32_t rounds, const nlohmann::json& line) {
  TrainProgress progress;
  progress.round = progress.epoch = round.round;
  progress.rounds = progress.epochs = rounds;
  progress.since_last = round.report;
  progress.loss = round.report.mean_loss();
  if (!round.right.empty()) progress.accuracy = round.accuracy;
  progress.own = &line;
  return progress;
}

bool stops_by_the_test_part(const TrainRequest& request) {
  return request.model.own<AveragingOptions>().until.has_value();
}

Result<Trained> train_fedavg(const TrainRequest& request, const Split& split, Executor& executor,
                             TrainHooks& hooks, Checkpoint* resume) {
  std::optional<Checkpoint> before;
  if (resume != nullptr) before = std::move(*resume);
  SOTTO_TRY(const AveragingRequest asked, averaging_of(request));
  SOTTO_TRY_DONE(check_measurable(asked.criteria.order, *split.examples->examples));
  SOTTO_TRY(const auto world, AveragingWorld::make(asked.classifier, split.examples));
  AveragingHooks own{
      .on_checkpoint = hooks.on_checkpoint, .checkpoint_due = hooks.checkpoint_due, .stop = hooks.stop};
  own.on_round = [&](const AveragingRound& round) -> Status {
    if (!hooks.on_progress) return Done{};
    nlohmann::json line = nlohmann::json::parse(round_line(round));
    if (const auto choosing = line.find("choosing"); choosing != line.end()) choosing->erase("seconds");
    return hooks.on_progress(progress_of(round, asked.rounds, line));
  };
  SOTTO_TRY(AveragingOutcome outcome,
            run_averaging(asked, world->parts(request_hash(request, split), asked.size_bound), executor, own,
                          std::move(before)));
  Trained trained;
  trained.model_hash = outcome.model_hash;
  trained.totals = outcome.totals;
  trained.schedule.cohort = outcome.cohort;
  trained.seconds = outcome.seconds;
  trained.own = std::make_shared<nlohmann::json>(outcome_json(asked, outcome));
  trained.parameters = std::make_unique<Parameters>();
  trained.parameters->items = std::move(outcome.model);
  return trained;
}

// Each device by its own examples.
Result<Evaluation> judge_fedavg(const TrainRequest& request, const Split& split, const Parameters& parameters,
                                Part part, Executor& executor) {
  SOTTO_TRY(const AveragingRequest asked, averaging_of(request));
  SOTTO_TRY(const auto world, AveragingWorld::make(asked.classifier, split.examples));
  const LocalPart judged = part == Part::test ? LocalPart::test : LocalPart::validation;
  const std::span<const float> model(parameters.items.row(0), world->task().parameters());
  std::vector<Result<LocalScore>> scores(split.users.size(), LocalScore{});
  executor.run(scores.size(), [&](std::size_t n) {
    scores[n] = world->task().score(UserIndex{static_cast<std::uint32_t>(n)}, judged, model, {});
  });
  Evaluation evaluation;
  evaluation.per_user.names = {"Accuracy"};
  std::uint64_t right = 0, all = 0;
  for (std::uint32_t device = 0; device < scores.size(); ++device) {
    if (!scores[device].ok()) return scores[device].error();
    const LocalScore& score = *scores[device];
    right += score.right;
    all += score.examples;
    if (score.examples == 0) {
      ++evaluation.users_without_test;
      continue;
    }
    evaluation.per_user.users.push_back({device});
    evaluation.per_user.values.push_back(static_cast<double>(score.right) /
                                         static_cast<double>(score.examples));
  }
  evaluation.users = evaluation.per_user.users.size();
  evaluation.metrics = {{"Accuracy", static_cast<double>(right) / static_cast<double>(all)}};
  return evaluation;
}

}  // namespace

ModelEntry fedavg_entry() {
  return {.name = "fedavg",
          .title = "FedAvg",
          .about = "a classifier of labelled examples, by federated averaging with criteria",
          .sends = Sends::network,
          .reveals = "how its copy of the network changed, and how much it counts",
          .needs_examples = true,
          .fields = averaging_fields(),
          .own = AveragingOptions{},
          .check = check_averaging,
          .train = train_fedavg,
          .judge = judge_fedavg,
          .check_data = check_data,
          .learns_from_test = stops_by_the_test_part};
}

}  // namespace sotto::engine
