#include "engine/train/training.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/hash.h"
#include "engine/models/content_models.h"
#include "engine/models/direct_models.h"
#include "engine/models/factor_options.h"
#include "engine/models/fedcars_model.h"
#include "engine/models/kgflex_model.h"
#include "engine/train/factor_training.h"
#include "engine/train/silent_people.h"
#include "fed/wire/published_model.h"
#include "metrics/evaluate.h"
#include "metrics/metric_name.h"
#include "model/central/multvae.h"
#include "model/central/neumf.h"
#include "model/mf_recommender.h"

namespace sotto {

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

std::string request_hash(const TrainRequest& request, const Split& split) {
  Hasher hasher;
  hasher.text(to_toml(request)).text(split.hash);
  if (split.features) hasher.text(split.features->hash());
  if (split.records) hasher.text(split.records->hash());
  if (split.contexts) hasher.text(split.contexts->hash());
  return std::move(hasher).hex();
}

FoldInOptions fold_in_options(const TrainRequest& request) {
  return {.learning_rate = request.plan.fpl.learning_rate,
          .reg = request.plan.fpl.user_reg,
          .passes = FoldInOptions{}.passes,
          .seed = request.plan.seed,
          .exact = solves_exactly(request.model) ? std::optional(als_options(request)) : std::nullopt};
}

// The model over matrices that live elsewhere and outlive it.
std::unique_ptr<Recommender> view_model(const TrainRequest& request, const Split& split,
                                        const RowMatrix& users, const RowMatrix& items,
                                        const std::vector<RowMatrix>& layers, Executor& executor) {
  if (is_multvae(request.model)) return std::make_unique<MultVae>(split.train, &items, &layers, executor);
  if (is_neumf(request.model))
    return std::make_unique<NeuMf>(request.neural.neumf, request.plan.seed, &users, &items, &layers);
  if (request.model == ModelKind::kahfm)
    return std::make_unique<KaHfm>(split.features, request.content.profile, &users, &items,
                                   fold_in_options(request));
  // Devices score with the rows they hold.
  if (request.plan.down != ModelPrecision::f32)
    return std::make_unique<MfRecommender>(&users, as_published(items, wire_precision(request.plan.down)),
                                           fold_in_options(request));
  return std::make_unique<MfRecommender>(&users, &items, fold_in_options(request));
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
                "start anew");
  const bool fits =
      checkpoint.round <= training_.schedule().rounds && fits_training(checkpoint.now, true) &&
      (!checkpoint.best || fits_training(*checkpoint.best, false)) &&
      (checkpoint.item_updates.empty() || checkpoint.item_updates.size() == training_.items().rows());
  if (!fits)
    return fail(Code::bad_input,
                "the checkpoint does not fit the training it is for (its round or the size of its model is "
                "wrong): start the run anew with --force");
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
  auto model = training_.view(training_.users(), training_.items());
  if (model == nullptr)
    model = view_model(request_, split_, training_.users(), training_.items(), layers, executor_);
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

Result<Trained> train(const TrainRequest& request, const Split& split, Executor& executor, TrainHooks& hooks,
                      std::optional<Checkpoint> resume) {
  Trained trained;
  const Stopwatch watch;
  SOTTO_TRY(const std::unique_ptr<FactorTraining> training,
            start_factor_training(request, split, executor, hooks.private_memory));
  if (!training) {
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
  TrainingRun run(request, split, executor, hooks, *training);
  SOTTO_TRY_DONE(resume ? run.resume(std::move(*resume)) : training->count_before(0));
  SOTTO_TRY_DONE(run.run());
  trained.parameters = std::make_unique<Parameters>(run.take_parameters());
  SOTTO_TRY_DONE(fold_in_silent(request, split, fold_in_options(request), *trained.parameters, executor));
  const Parameters& kept = *trained.parameters;
  trained.model = training->view(kept.users.on_device(), kept.items);
  if (trained.model == nullptr)
    trained.model = view_model(request, split, kept.users.on_device(), kept.items, kept.layers, executor);
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

EvaluateOptions evaluate_options(const TrainRequest& request, const Split& split, Part part) {
  EvaluateOptions options;
  options.part = part;
  options.cutoffs = request.cutoffs;
  const Histories& judged = part == Part::test ? split.test : split.validation;
  if (request.eval_users > 0) options.users = sample_users(judged, request.eval_users, request.plan.seed);
  return options;
}

Result<std::unique_ptr<Recommender>> rebuild_model(const TrainRequest& request, const Split& split,
                                                   std::optional<Parameters> parameters, Executor& executor) {
  if (!parameters) {
    TrainRequest again = request;
    again.consent.records = false;
    SOTTO_TRY(DirectModel direct, make_direct(again, split, executor));
    return std::move(direct.model);
  }
  if (is_kgflex(request.model)) return rebuild_kgflex(request, split, std::move(*parameters), executor);
  if (request.model == ModelKind::fedcars) return rebuild_fedcars(request, split, std::move(*parameters));
  RowMatrix items = std::move(parameters->items), users = std::move(parameters->users.on_device());
  if (request.plan.down != ModelPrecision::f32)
    items = as_published(items, wire_precision(request.plan.down));
  std::unique_ptr<Recommender> model;
  if (is_multvae(request.model))
    model = std::make_unique<MultVae>(split.train, std::move(items), std::move(parameters->layers), executor);
  else if (is_neumf(request.model))
    model = std::make_unique<NeuMf>(request.neural.neumf, request.plan.seed, std::move(users),
                                    std::move(items), std::move(parameters->layers));
  else if (request.model == ModelKind::kahfm)
    model = std::make_unique<KaHfm>(split.features, request.content.profile, std::move(users),
                                    std::move(items), fold_in_options(request));
  else
    model = std::make_unique<MfRecommender>(std::move(users), std::move(items), fold_in_options(request));
  return model;
}

std::string hash_shared(const Parameters& parameters) {
  if (parameters.layers.empty()) return hash_rows(parameters.items);
  Hasher hasher;
  hasher.text(hash_rows(parameters.items));
  for (const RowMatrix& layer : parameters.layers) hasher.text(hash_rows(layer));
  return std::move(hasher).hex();
}

bool fits_model(const TrainRequest& request, const Split& split, const Parameters& parameters) {
  const MatrixShape items = shape_of(parameters.items), users = shape_of(parameters.users.on_device());
  const MatrixShape private_rows{split.users.size(), items.width};
  // Their rebuilding knows profiles and contexts, and looks.
  if (is_kgflex(request.model) || request.model == ModelKind::fedcars) return true;
  if (is_multvae(request.model))
    return items == vae_items_shape(split.catalogue, request.neural.vae) && users == MatrixShape{} &&
           have_shapes(parameters.layers, vae_layer_shapes(split.catalogue, request.neural.vae));
  if (is_neumf(request.model))
    return items == MatrixShape{split.catalogue, neumf_row_width(request.neural.neumf)} &&
           users == private_rows && have_shapes(parameters.layers, neumf_layer_shapes(request.neural.neumf));
  const std::size_t width =
      request.model == ModelKind::kahfm ? kahfm_row_width(split) : std::size_t{request.plan.fpl.factors} + 1;
  const MatrixShape shared_rows{split.catalogue, width};
  return items == shared_rows && users == private_rows && parameters.layers.empty();
}

}  // namespace sotto
