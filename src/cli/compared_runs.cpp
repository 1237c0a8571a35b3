#include "cli/compared_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/files/files.h"
#include "engine/files/per_user_file.h"
#include "engine/plan/model_entry.h"
#include "engine/train/session.h"
#include "metrics/metric_name.h"

namespace sotto::cli {

namespace {

// A run that learned from the test part says so.
std::string full_label(const TrainRequest& request) {
  if (!learns_from_test(request)) return label_of(request);
  return fmt::format("{} ({})", label_of(request), learned_from_test);
}

std::vector<Metric> metrics_in(const nlohmann::json& summary) {
  std::vector<Metric> metrics;
  for (const auto& [name, value] : summary["metrics"].items())
    metrics.push_back(
        {name, value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN()});
  return metrics;
}

bool has_all(const std::vector<Metric>& metrics, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
    return std::any_of(metrics.begin(), metrics.end(),
                       [&](const Metric& metric) { return metric.name == name; });
  });
}

Status judge_again(const std::vector<std::string>& wanted, ComparedRun& run, Executor& executor) {
  SOTTO_TRY(const TrainRequest request, RunDir(run.source).request());
  if (request.model->needs_examples)
    return fail(Code::usage,
                fmt::format("{}: a classifier has no {}: compare it with classifiers, by {}", run.source,
                            joined_words(wanted), joined_words(usual_metrics(0, MetricNeeds::labels))));
  SOTTO_TRY(const LoadedRun loaded, load_run(run.source, executor));
  EvaluateOptions options = evaluate_options(loaded.request, *loaded.split, Part::test);
  for (const std::string& metric : wanted) {
    SOTTO_TRY(const MetricName name, parse_metric_name(metric));
    if (name.cutoff) options.cutoffs.push_back(std::min(*name.cutoff, most_cutoff));
  }
  SOTTO_TRY(Evaluation evaluation, evaluate(*loaded.model, *loaded.split, options, executor));
  run.metrics = std::move(evaluation.metrics);
  run.per_user = std::move(evaluation.per_user);
  return Done{};
}

}  // namespace

Result<std::vector<std::string>> usual_metrics(const std::vector<std::string>& runs) {
  SOTTO_TRY(const TrainRequest request, RunDir(runs.front()).request());
  const std::uint32_t cutoff = *std::max_element(request.cutoffs.begin(), request.cutoffs.end());
  std::vector<std::string> names =
      usual_metrics(cutoff, request.model->needs_examples ? MetricNeeds::labels : MetricNeeds::lists);
  const std::vector<std::string> errors = usual_metrics(cutoff, MetricNeeds::ratings);
  for (const std::string& run : runs) {
    SOTTO_TRY(const nlohmann::json summary, RunDir(run).summary());
    if (!has_all(metrics_in(summary), errors)) return names;
  }
  names.insert(names.end(), errors.begin(), errors.end());
  return names;
}

Result<ComparedRun> read_compared_run(const std::string& path, const std::vector<std::string>& metrics,
                                      Executor& executor, const Console& console) {
  const RunDir dir(path);
  SOTTO_TRY(const nlohmann::json summary, dir.summary());
  SOTTO_TRY(const TrainRequest request, dir.request());
  ComparedRun run{full_label(request), path, to_toml(request), summary["split_hash"],
                  metrics_in(summary), {}};
  const auto values = dir.path() / "per_user.tsv";
  SOTTO_TRY(const bool kept, is_there(values));
  if (!kept || !has_all(run.metrics, metrics)) {
    if (!request.model->needs_examples)
      console.note(fmt::format("sotto: judging {} again: it has no values per user at these cut-offs", path));
    SOTTO_TRY_DONE(judge_again(metrics, run, executor));
    return run;
  }
  SOTTO_TRY(const Split split, dir.split());
  if (split.hash != run.split_hash)
    return fail(Code::bad_input,
                fmt::format("{}: its split is not the one that run.json names: train again", path));
  SOTTO_TRY(const std::string text, read_text(values));
  SOTTO_TRY(run.per_user, read_per_user(text, values.string(), split));
  return run;
}

}  // namespace sotto::cli
