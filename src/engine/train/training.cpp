#include "engine/train/training.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/hash.h"
#include "engine/plan/model_entry.h"
#include "engine/train/direct_model.h"
#include "engine/train/factor_training.h"
#include "engine/train/silent_people.h"
#include "metrics/evaluate.h"
#include "metrics/metric_name.h"
#include "model/mf_recommender.h"

namespace sotto::engine {

namespace {

class Stopwatch {
 public:
  explicit Stopwatch(double already = 0.0) : already_(already) {}
  [[nodiscard]] double seconds() const {
    return already_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double already_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The model over rows that outlive it: as the training sees it, which may know more than the request says.
Result<std::unique_ptr<Recommender>> seen(const FactorTraining& training, const TrainRequest& request,
                                          const Split& split, const RowsView& rows, Executor& executor) {
  if (auto model = training.view(rows.users, rows.items)) return model;
  return view_model(request, split, rows, executor);
}

// One step-by-step training from start (or checkpoint) to end.
class TrainingRun {
 public:
  TrainingRun(const TrainRequest& request, const Split& split, Executor& executor, TrainHooks& hooks,
              FactorTraining& training)
      : request_(request), split_(split), executor_(executor), hooks_(hooks), training_(training) {
    const std::uint32_t rounds = training.schedule().rounds_per_epoch;
    chunk_ = request.log_every != 0 ? request.log_every : (rounds + 999) / 1000;
    checkpoint_.request_hash = request_hash(request, split);
    if (hooks.count_updates) training.count_updates({});
  }

  [[nodiscard]] Status resume(Checkpoint checkpoint);
  [[nodiscard]] Status run();
  // The parameters to keep: the best look's, or the last.
  [[nodiscard]] Parameters take_parameters();
  [[nodiscard]] const Checkpoint& checkpoint() const { return checkpoint_; }
  [[nodiscard]] bool stopped_early() const { return stopped_early_; }
  [[nodiscard]] double seconds() const { return watch_.seconds(); }
  [[nodiscard]] std::vector<std::uint64_t> item_updates() const {
    return counts_ ? training_.item_updates() : std::vector<std::uint64_t>();
  }

 private:
  // The model now; `whole`: with all that the training needs to go on.
  [[nodiscard]] Parameters snapshot(bool whole) const;
  // Whether the matrices have the sizes of a snapshot's.
  [[nodiscard]] bool fits_training(const Parameters& parameters, bool whole) const;
  [[nodiscard]] Status advance();
  [[nodiscard]] Status look_at_validation(TrainProgress& progress);
  [[nodiscard]] Status save();

  const TrainRequest& request_;
  const Split& split_;
  Executor& executor_;
  TrainHooks& hooks_;
  FactorTraining& training_;
  std::uint32_t chunk_ = 1;
  Checkpoint checkpoint_;
  Stopwatch watch_;
  bool counts_ = hooks_.count_updates;
  bool stopped_early_ = false;
};

Parameters TrainingRun::snapshot(bool whole) const {
  Parameters parameters{training_.items(), Private(training_.users()), training_.layers()};
  if (whole)
    for (RowMatrix& matrix : training_.moments()) parameters.layers.push_back(std::move(matrix));
  return parameters;
}

bool TrainingRun::fits_training(const Parameters& parameters, bool whole) const {
  std::vector<RowMatrix> layers = training_.layers();
  if (whole)
    for (RowMatrix& matrix : training_.moments()) layers.push_back(std::move(matrix));
  return shape_of(parameters.items) == shape_of(training_.items()) &&
         shape_of(parameters.users.on_device()) == shape_of(training_.users()) &&
         std::ranges::equal(parameters.layers, layers, {}, shape_of, shape_of);
}

Status TrainingRun::resume(Checkpoint checkpoint) {
  if (checkpoint.request_hash != checkpoint_.request_hash)
    return fail(Code::incompatible,
                "the checkpoint belongs to another plan or other data: resume with the run's own plan, or "
                "start again");
  const bool fits =
      checkpoint.round <= training_.schedule().rounds && fits_training(checkpoint.now, true) &&
      (!checkpoint.best || fits_training(*checkpoint.best, false)) &&
      (checkpoint.item_updates.empty() || checkpoint.item_updates.size() == training_.items().rows());
  if (!fits)
    return fail(Code::bad_input,
                "the checkpoint does not fit the training it is for (its round or the size of its model is "
                "wrong): start the run again with --force");
  SOTTO_TRY_DONE(training_.count_before(checkpoint.round));
  checkpoint_ = std::move(checkpoint);
  watch_ = Stopwatch(checkpoint_.seconds);
  training_.restore(checkpoint_.round, std::move(checkpoint_.now));
  checkpoint_.now = {};
  // Counts of a part of the training would be wrong ones: better none.
  counts_ = hooks_.count_updates && (checkpoint_.round == 0 || !checkpoint_.item_updates.empty());
  if (counts_) training_.count_updates(std::move(checkpoint_.item_updates));
  checkpoint_.item_updates.clear();
  // The last checkpoint of a training that stopped early: there is nothing left to train.
  stopped_early_ = request_.early.patience > 0 && checkpoint_.looks_without_gain >= request_.early.patience;
  return Done{};
}

Status TrainingRun::save() {
  if (!hooks_.on_checkpoint) return Done{};
  checkpoint_.round = training_.round();
  checkpoint_.seconds = watch_.seconds();
  checkpoint_.log_lines = hooks_.log_lines;
  checkpoint_.now = snapshot(true);
  checkpoint_.item_updates = item_updates();
  const Status saved = hooks_.on_checkpoint(checkpoint_);
  checkpoint_.now = {};
  return saved;
}

Status TrainingRun::look_at_validation(TrainProgress& progress) {
  const std::vector<RowMatrix> layers = training_.layers();
  SOTTO_TRY(const auto model,
            seen(training_, request_, split_, {training_.users(), training_.items(), layers}, executor_));
  SOTTO_TRY(const Evaluation evaluation,
            evaluate(*model, split_, evaluate_options(request_, split_, Part::validation), executor_));
  const std::optional<double> value = evaluation.find(request_.early.metric);
  if (!value)
    return fail(Code::usage,
                fmt::format("early stopping: there is no metric '{}'; with the cut-offs given there is, for "
                            "example, {}",
                            request_.early.metric, evaluation.metrics.front().name));
  progress.validation = value;
  SOTTO_TRY(const MetricName metric, parse_metric_name(request_.early.metric));
  const double lead =
      less_is_better(metric) ? checkpoint_.best_value - *value : *value - checkpoint_.best_value;
  // A value that is no number beats nothing, and anything beats it.
  const bool gained =
      !checkpoint_.best || lead > 0.0 || (std::isnan(checkpoint_.best_value) && !std::isnan(*value));
  checkpoint_.looks_without_gain = gained ? 0 : checkpoint_.looks_without_gain + 1;
  if (gained) {
    checkpoint_.best_value = *value;
    checkpoint_.best_epoch = progress.epoch;
    checkpoint_.best = snapshot(false);
  }
  stopped_early_ = checkpoint_.looks_without_gain >= request_.early.patience;
  return Done{};
}

Status TrainingRun::advance() {
  const Schedule& schedule = training_.schedule();
  const std::uint32_t left_in_epoch =
      schedule.rounds_per_epoch - training_.round() % schedule.rounds_per_epoch;
  SOTTO_TRY(const RoundReport report, training_.advance(std::min(chunk_, left_in_epoch)));
  checkpoint_.totals.add(report);
  TrainProgress progress;
  progress.round = training_.round();
  progress.rounds = schedule.rounds;
  progress.epoch = training_.round() / schedule.rounds_per_epoch;
  progress.epochs = request_.plan.epochs;
  progress.since_last = report;
  progress.loss = report.mean_loss();
  const bool epoch_ended = training_.round() % schedule.rounds_per_epoch == 0;
  if (epoch_ended && request_.early.patience > 0 && progress.epoch % request_.early.every == 0)
    SOTTO_TRY_DONE(look_at_validation(progress));
  return hooks_.on_progress ? hooks_.on_progress(progress) : Done{};
}

Status TrainingRun::run() {
  while (training_.round() < training_.schedule().rounds && !stopped_early_) {
    if (hooks_.stop != nullptr && hooks_.stop->load()) {
      SOTTO_TRY_DONE(save());
      return fail(Code::cancelled, fmt::format("stopped after round {} of {}", training_.round(),
                                               training_.schedule().rounds));
    }
    if (hooks_.checkpoint_due && hooks_.checkpoint_due()) SOTTO_TRY_DONE(save());
    SOTTO_TRY_DONE(advance());
  }
  return save();  // what follows (judging, writing) may still fail
}

Parameters TrainingRun::take_parameters() {
  if (checkpoint_.best) return std::move(*checkpoint_.best);
  return training_.take();
}

}  // namespace

std::string request_hash(const TrainRequest& request, const Split& split) {
  Hasher hasher;
  hasher.text(to_toml(request)).text(split.hash);
  if (split.features) hasher.text(split.features->hash());
  if (split.records) hasher.text(split.records->hash());
  if (split.contexts) hasher.text(split.contexts->hash());
  return std::move(hasher).hex();
}

Result<Trained> train(const TrainRequest& request, const Split& split, Executor& executor, TrainHooks& hooks,
                      std::optional<Checkpoint> resume) {
  if (request.model->needs_examples != (split.examples != nullptr))
    return fail(
        Code::usage,
        fmt::format("{} learns from {}, and the data has none: choose other data or another model",
                    request.model->name, request.model->needs_examples ? "labelled examples" : "histories"));
  if (request.model->train)
    return request.model->train(request, split, executor, hooks, resume ? &*resume : nullptr);
  Trained trained;
  const Stopwatch watch;
  if (!request.model->in_steps()) {
    SOTTO_TRY(DirectModel direct, make_direct(request, split, executor));
    trained.model = std::move(direct.model);
    trained.totals = direct.totals;
    trained.privacy = direct.privacy;
    if (hooks.stop != nullptr && hooks.stop->load())
      return fail(Code::cancelled, "stopped; this model is made in one go, so there is nothing to resume");
    trained.model_hash = direct_hash(request, split, *trained.model);
    trained.seconds = watch.seconds();
    return trained;
  }
  SOTTO_TRY(const std::unique_ptr<FactorTraining> training,
            start_factor_training(request, split, executor, hooks.private_memory));
  TrainingRun run(request, split, executor, hooks, *training);
  SOTTO_TRY_DONE(resume ? run.resume(std::move(*resume)) : training->count_before(0));
  SOTTO_TRY_DONE(run.run());
  trained.parameters = std::make_unique<Parameters>(run.take_parameters());
  SOTTO_TRY_DONE(fold_in_silent(request, split, *trained.parameters, executor));
  const Parameters& kept = *trained.parameters;
  SOTTO_TRY(trained.model, seen(*training, request, split, rows_of(kept), executor));
  trained.model_hash = hash_shared(kept);
  trained.totals = run.checkpoint().totals;
  trained.schedule = training->schedule();
  trained.privacy = training->privacy();
  trained.weighed = training->weighed();
  trained.seconds = run.seconds();
  if (run.checkpoint().best) trained.best_epoch = run.checkpoint().best_epoch;
  trained.item_updates = run.item_updates();
  return trained;
}

Result<Evaluation> judge(const TrainRequest& request, const Split& split, const Trained& trained, Part part,
                         Executor& executor) {
  if (request.model->judge) return request.model->judge(request, split, *trained.parameters, part, executor);
  return evaluate(*trained.model, split, evaluate_options(request, split, part), executor);
}

EvaluateOptions evaluate_options(const TrainRequest& request, const Split& split, Part part) {
  EvaluateOptions options;
  options.part = part;
  options.cutoffs = request.cutoffs;
  const Histories& judged = part == Part::test ? split.test : split.validation;
  if (request.eval_users > 0) options.users = sample_users(judged, request.eval_users, request.plan.seed);
  return options;
}

std::optional<RowShapes> factor_shapes(const TrainRequest& request, const Split& split) {
  const std::size_t width = std::size_t{request.plan.fpl.factors} + 1;
  return RowShapes{{split.catalogue, width}, {split.users.size(), width}};
}

FoldInOptions fold_in_options(const TrainRequest& request) {
  if (request.model->fold_in) return request.model->fold_in(request);
  return {.learning_rate = request.plan.fpl.learning_rate,
          .reg = request.plan.fpl.user_reg,
          .passes = FoldInOptions{}.passes,
          .seed = request.plan.seed,
          .exact = std::nullopt};
}

Result<RebuiltModel> rebuild_model(const TrainRequest& request, const Split& split,
                                   std::optional<Parameters> parameters, Executor& executor) {
  RebuiltModel rebuilt;
  if (!parameters) {
    TrainRequest again = request;
    again.consent.records = false;
    SOTTO_TRY(DirectModel direct, make_direct(again, split, executor));
    rebuilt.model = std::move(direct.model);
    rebuilt.hash = direct_hash(request, split, *rebuilt.model);
    return rebuilt;
  }
  rebuilt.parameters = std::make_unique<Parameters>(std::move(*parameters));
  rebuilt.hash = hash_shared(*rebuilt.parameters);
  SOTTO_TRY(rebuilt.model, view_model(request, split, rows_of(*rebuilt.parameters), executor));
  return rebuilt;
}

RowsView rows_of(const Parameters& parameters) {
  return {parameters.users.on_device(), parameters.items, parameters.layers};
}

Result<std::unique_ptr<Recommender>> view_model(const TrainRequest& request, const Split& split,
                                                const RowsView& rows, Executor& executor) {
  if (request.model->view) return request.model->view(request, split, rows, executor);
  return std::unique_ptr<Recommender>(
      std::make_unique<MfRecommender>(&rows.users, &rows.items, fold_in_options(request)));
}

std::string hash_shared(const Parameters& parameters) {
  if (parameters.layers.empty()) return hash_rows(parameters.items);
  Hasher hasher;
  hasher.text(hash_rows(parameters.items));
  for (const RowMatrix& layer : parameters.layers) hasher.text(hash_rows(layer));
  return std::move(hasher).hex();
}

bool fits_model(const TrainRequest& request, const Split& split, const Parameters& parameters) {
  if (!request.model->shapes) return true;
  const std::optional<RowShapes> wanted = request.model->shapes(request, split);
  return !wanted || (shape_of(parameters.items) == wanted->items &&
                     shape_of(parameters.users.on_device()) == wanted->users &&
                     have_shapes(parameters.layers, wanted->layers));
}

}  // namespace sotto::engine
