#include "server/figures_metrics.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "fed/models/task_models.h"
#include "server/figures_interval.h"

namespace sotto::server {

using FiguresJson = nlohmann::ordered_json;

FiguresJson evaluation_json(const EvaluationRecord& evaluation, const TaskConfig& config) {
  FiguresJson out = FiguresJson::parse(evaluation.figures, nullptr, false);
  if (!out.is_object() || !out.contains("metrics")) out = {{"metrics", FiguresJson::object()}};
  out["people"] = evaluation.people;
  out["time_ms"] = evaluation.time_ms;
  const auto model = fed::find_task_model(config.spec.model());
  if (!model.ok()) return out;
  const auto terms = read_terms(config.spec, **model);
  if (!terms.ok() || !*terms) return out;
  const double noise = config.evaluation.noise_multiplier * longest_figures(**terms);
  FiguresJson intervals = FiguresJson::object();
  for (const auto& [name, value] : out["metrics"].items()) {
    const double most = most_of(name.substr(0, name.find('@')), **terms);
    if (most == 0.0 || !value.is_number()) continue;
    const FigureInterval of = figure_interval(value.get<double>(), most, evaluation.people, noise);
    intervals[name] = {of.low, of.high};
  }
  out["intervals"] = std::move(intervals);
  return out;
}

std::string figures_metrics(const std::vector<std::unique_ptr<TaskRun>>& tasks) {
  std::string text =
      "# HELP sotto_evaluation Mean of a metric over the people who judged the newest judged version.\n"
      "# TYPE sotto_evaluation gauge\n";
  std::string who =
      "# HELP sotto_evaluation_people People who judged it.\n# TYPE sotto_evaluation_people gauge\n";
  std::string which =
      "# HELP sotto_evaluation_version Version that was judged.\n# TYPE sotto_evaluation_version gauge\n";
  std::string trials =
      "# HELP sotto_trial_version Version that a share of the devices tries; 0: none.\n"
      "# TYPE sotto_trial_version gauge\n";
  std::string beside =
      "# HELP sotto_evaluation_beside The same of the version that all others keep during a trial.\n"
      "# TYPE sotto_evaluation_beside gauge\n";
  for (const auto& task : tasks) {
    trials += fmt::format("sotto_trial_version{{task=\"{}\"}} {}\n", task->name(),
                          task->trial() != nullptr ? task->version().number : 0);
    if (const EvaluationRecord* others = task->figures_beside()) {
      const FiguresJson kept = evaluation_json(*others, task->config());
      for (const auto& [metric, value] : kept.at("metrics").items())
        beside += fmt::format("sotto_evaluation_beside{{task=\"{}\",metric=\"{}\"}} {}\n", task->name(),
                              metric, value.get<double>());
    }
    if (task->figures() == nullptr) continue;
    const FiguresJson figures = evaluation_json(*task->figures(), task->config());
    for (const auto& [metric, value] : figures.at("metrics").items())
      text += fmt::format("sotto_evaluation{{task=\"{}\",metric=\"{}\"}} {}\n", task->name(), metric,
                          value.get<double>());
    who += fmt::format("sotto_evaluation_people{{task=\"{}\"}} {}\n", task->name(), task->figures()->people);
    which +=
        fmt::format("sotto_evaluation_version{{task=\"{}\"}} {}\n", task->name(), task->figures()->version);
  }
  return text + who + which + beside + trials;
}

}  // namespace sotto::server
