#include "engine/train/session.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "data/examples/dealt_examples.h"
#include "engine/files/files.h"
#include "engine/files/mapped_file.h"
#include "engine/plan/model_entry.h"
#include "engine/terminal/interrupt.h"
#include "engine/train/kept_checkpoints.h"
#include "engine/train/levels_json.h"
#include "engine/train/memory_plan.h"
#include "engine/train/progress.h"

namespace sotto::engine {

namespace {

using Clock = std::chrono::steady_clock;

// No times in it: the same run gives the same bytes.
std::string log_line(const TrainProgress& progress) {
  nlohmann::ordered_json line{{"round", progress.round},
                              {"epoch", progress.epoch},
                              {"rounds", progress.since_last.rounds},
                              {"exchanges", progress.since_last.exchanges},
                              {"triples", progress.since_last.triples},
                              {"loss", progress.loss},
                              {"bytes_up", progress.since_last.bytes_up},
                              {"bytes_down", progress.since_last.bytes_down}};
  if (progress.validation) line["validation"] = *progress.validation;
  if (progress.own != nullptr) line.update(nlohmann::ordered_json(*progress.own));
  return line.dump();
}

// The hooks of one training: log, progress and checkpoints.
class Recorder {
 public:
  Recorder(const SessionOptions& options, const Console& console, std::string title)
      : options_(options), progress_(console, std::move(title), options.quiet) {}

  [[nodiscard]] Result<std::optional<Checkpoint>> open() {
    std::optional<Checkpoint> checkpoint;
    if (!options_.run) return checkpoint;
    if (options_.resume && options_.run->has_checkpoint()) {
      SOTTO_TRY(checkpoint, options_.run->checkpoint());
    }
    const std::uint64_t lines = checkpoint ? checkpoint->log_lines : 0;
    SOTTO_TRY(AppendFile log, AppendFile::open(options_.run->log_path(), lines));
    log_.emplace(std::move(log));
    return checkpoint;
  }

  [[nodiscard]] TrainHooks hooks(const std::atomic<bool>& stop) {
    TrainHooks hooks;
    hooks.stop = &stop;
    hooks.log_lines = log_ ? log_->lines() : 0;
    if (!options_.run) return hooks;
    hooks.checkpoint_due = [this] {
      return keeps_next_ ||
             std::chrono::duration<double>(Clock::now() - saved_).count() >= options_.checkpoint_seconds;
    };
    hooks.on_checkpoint = [this](const Checkpoint& checkpoint) -> Status {
      SOTTO_TRY_DONE(log_->flush());  // first the log: a checkpoint never knows of lines that are not there
      SOTTO_TRY_DONE(options_.run->save(checkpoint));
      saved_ = Clock::now();
      if (!std::exchange(keeps_next_, false)) return Done{};
      return KeptCheckpoints(options_.run->path()).keep(checkpoint);
    };
    return hooks;
  }

  [[nodiscard]] Status note(const TrainProgress& progress, TrainHooks& hooks) {
    progress_.update(progress);
    if (!log_) return Done{};
    if (options_.keep_epochs > 0 && progress.epoch >= kept_epoch_ + options_.keep_epochs) {
      kept_epoch_ = progress.epoch;
      keeps_next_ = true;
    }
    SOTTO_TRY_DONE(log_->line(log_line(progress)));
    hooks.log_lines = log_->lines();
    return Done{};
  }

  [[nodiscard]] Status close() {
    progress_.clear();
    return log_ ? log_->flush() : Done{};
  }

 private:
  const SessionOptions& options_;
  Progress progress_;
  std::optional<AppendFile> log_;
  bool keeps_next_ = false;       // the next checkpoint stays
  std::uint32_t kept_epoch_ = 0;  // the last one that did was of
  Clock::time_point saved_ = Clock::now();
};

Error explain_stop(const Error& error, const SessionOptions& options, const std::string& budget) {
  if (error.code != Code::cancelled) return error;
  if (!options.run)
    return fail(Code::cancelled,
                error.message + "; nothing was kept, because no run directory was given (--out DIR)");
  return fail(Code::cancelled,
              fmt::format("{}; go on with: sotto train --resume --out {}{}", error.message,
                          shell_word(options.run->path().string()),
                          budget.empty() ? std::string() : " --dp-budget " + shell_word(budget)));
}

Result<Trained> train_recorded(const TrainRequest& request, const Split& split, const SessionOptions& options,
                               Executor& executor, const Console& console) {
  Recorder recorder(options, console, options.title.empty() ? request.model->title : options.title);
  SOTTO_TRY(std::optional<Checkpoint> checkpoint, recorder.open());
  if (checkpoint && !options.quiet)
    console.note(fmt::format("sotto: going on after round {}", human_count(checkpoint->round)));
  std::unique_ptr<ScratchStorage> scratch;
  if (!options.scratch.empty() && request.model->scratch) {
    const auto bytes = static_cast<std::uint64_t>(factor_row_bytes(request.plan.fpl.factors) *
                                                  static_cast<double>(split.users.size()));
    SOTTO_TRY(scratch, ScratchStorage::make(options.scratch, bytes));
  }
  const InterruptGuard guard;
  TrainHooks hooks = recorder.hooks(guard.stop());
  hooks.private_memory = scratch.get();
  hooks.count_updates = options.run.has_value();  // for items.tsv
  hooks.on_progress = [&](const TrainProgress& progress) { return recorder.note(progress, hooks); };
  auto trained = train(request, split, executor, hooks, std::move(checkpoint));
  SOTTO_TRY_DONE(recorder.close());
  if (!trained.ok()) return explain_stop(trained.error(), options, request.dp.budget);
  return trained;
}

// How a federated model was trained.
// In the place of what is said of histories.
void put_examples(const Dealt& dealt, nlohmann::json& json) {
  const ExampleCounts counts = counts_of(dealt);
  json.update({{"train_interactions", counts.train},
               {"validation_interactions", counts.validation},
               {"test_interactions", counts.test},
               {"users_without_training", 0},
               {"users_without_test", counts.without_test}});
}

void put_federation(const TrainRequest& request, const Split& split, const Trained& trained,
                    nlohmann::json& json) {
  if (!request.model->federated() || trained.schedule.cohort == 0) return;
  json["cohort"] = trained.schedule.cohort;
  if (request.model->summary) request.model->summary(request, split, trained, json);
}

// What weighing came to, over all people. `rounds` and the rest are of the rounds since the last resume.
nlohmann::json weighed_json(const CriteriaRequest& asked, const WeighingTally& tally) {
  const auto order = parse_order(asked.order);
  nlohmann::json json{{"order", order.ok() ? to_string(*order) : asked.order},
                      {"score", asked.score.empty() ? to_string(ScoreKind::prioritized) : asked.score},
                      {"rounds", tally.rounds},
                      {"least_tellers", tally.least_tellers},
                      {"left_alone", tally.left_alone}};
  if (tally.rounds > 0) json["weights"] = {{"least", tally.least}, {"most", tally.most}};
  return json;
}

}  // namespace

Result<Session> run_session(const TrainRequest& request, const Split& split, const SessionOptions& options,
                            Executor& executor, const Console& console) {
  Session session;
  SOTTO_TRY(session.trained, train_recorded(request, split, options, executor, console));
  SOTTO_TRY(session.evaluation, judge(request, split, session.trained, Part::test, executor));
  if (options.run)
    SOTTO_TRY_DONE(options.run->finish(split, session.trained, session.evaluation,
                                       metrics_of(session.evaluation, Part::test),
                                       summary_of(request, split, session)));
  return session;
}

nlohmann::json metrics_of(const Evaluation& evaluation, Part part) {
  nlohmann::json metrics = nlohmann::json::object();
  for (const Metric& metric : evaluation.metrics) metrics[metric.name] = metric.value;
  nlohmann::json json{{"part", part == Part::test ? "test" : "validation"},
                      {"metrics", metrics},
                      {"judged_users", evaluation.users},
                      {"users_without_items", evaluation.users_without_test},
                      {"users_without_training", evaluation.users_without_training},
                      {"cutoffs", evaluation.cutoffs},
                      {"short_lists", evaluation.short_lists}};
  for (const CategoryBiasAt& at : evaluation.category_bias)
    for (const CategoryBias& bias : at.categories)
      json["category_bias"].push_back({{"cutoff", at.cutoff},
                                       {"category", bias.category},
                                       {"items", bias.items},
                                       {"source", bias.source},
                                       {"recommended", bias.recommended},
                                       {"disparity", bias.disparity}});
  return json;
}

nlohmann::json summary_of(const TrainRequest& request, const Split& split, const Session& session) {
  const Trained& trained = session.trained;
  const double seconds = trained.seconds;
  const auto triples = static_cast<double>(trained.totals.triples);
  nlohmann::json json{{"version", version},
                      {"model", request.model->name},
                      {"model_hash", trained.model_hash},
                      {"split_hash", split.hash},
                      {"seed", request.plan.seed},
                      {"metrics", metrics_of(session.evaluation, Part::test)["metrics"]},
                      {"users", split.users.size()},
                      {"items", split.catalogue},
                      {"train_interactions", split.train.interactions()},
                      {"validation_interactions", split.validation.interactions()},
                      {"test_interactions", split.test.interactions()},
                      {"users_without_training", split.users_without_training()},
                      {"users_without_test", session.evaluation.users_without_test},
                      {"judged_users", session.evaluation.users},
                      {"seconds", seconds},
                      {"triples", trained.totals.triples},
                      {"triples_per_second", seconds > 0.0 ? triples / seconds : 0.0},
                      {"rounds", trained.totals.rounds},
                      {"exchanges", trained.totals.exchanges},
                      {"bytes_up", trained.totals.bytes_up},
                      {"bytes_down", trained.totals.bytes_down}};
  if (split.examples != nullptr) put_examples(split.examples->dealt, json);
  put_federation(request, split, trained, json);
  if (trained.totals.held_rows > 0) {
    json["held_rows"] = trained.totals.held_rows;
    json["range"] = static_cast<double>(step_limit) / static_cast<double>(request.plan.fixed.scale());
  }
  if (trained.weighed) json["criteria"] = weighed_json(request.criteria, *trained.weighed);
  if (split.features != nullptr) {
    json["features"] = split.features->features();
    json["features_hash"] = split.features->hash();
    json["items_without_features"] = split.features->items_without(split.catalogue);
  }
  if (learns_from_test(request)) json["learned_from_test"] = true;
  if (split.records != nullptr) json["records_hash"] = split.records->hash();
  if (split.contexts != nullptr) {
    json["context_values"] = split.contexts->values();
    json["contexts_hash"] = split.contexts->hash();
  }
  if (trained.privacy) {
    json["epsilon"] = trained.privacy->epsilon;
    json["delta"] = trained.privacy->delta;
    json["noise"] = trained.privacy->noise;
    if (trained.privacy->pure) json["epsilon_without_delta"] = *trained.privacy->pure;
    if (const auto& choice = trained.privacy->choice)
      json["choice"] = {{"lambda", choice->lambda}, {"epsilon", choice->epsilon}};
  }
  if (request.average_last > 0) json["average_last"] = request.average_last;
  if (trained.best_epoch) json["best_epoch"] = *trained.best_epoch;
  if (const auto levels = drawn_levels(request.consent, split.users.size(), request.plan.seed))
    json["levels"] = levels_json(*levels, session.evaluation.per_user);
  if (trained.own != nullptr) json.update(*trained.own);
  return json;
}

}  // namespace sotto::engine
