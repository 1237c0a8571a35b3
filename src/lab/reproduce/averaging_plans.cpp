#include "lab/reproduce/averaging_plans.h"

#include <algorithm>
#include <sstream>

#include "engine/averaging/averaging_request.h"
#include "engine/plan/model_entry.h"
#include "lab/reproduce/paper_entry.h"

namespace sotto::lab {

namespace {

Result<std::vector<Experiment>> read_experiments(const toml::table& document, const std::string& file) {
  std::vector<Experiment> all;
  std::optional<Error> wrong;
  // On top of another plan, as a plan's text.
  const auto plan_in = [&](const PaperEntry& entry, const char* key, const TrainRequest& base) {
    std::ostringstream text;
    toml::table table = entry.copy(key);
    table.is_inline(false);  // keys on lines of their own
    text << table;
    auto read = from_toml(text.str(), entry.place() + ", " + key, base);
    if (!read.ok()) wrong = read.error();
    return read.ok() ? *read : base;
  };
  PaperEntry root(document, file);
  root.each("experiment", [&](PaperEntry& entry) {
    Experiment& one = all.emplace_back();
    PlanPart plan;
    entry.need("dataset", one.dataset).need("settings", one.settings).need("accuracies", one.accuracies);
    entry.may("best", one.best).may("gaining", one.gaining).may("held", one.held).may("within", one.within);
    entry.need("seconds", one.seconds).need("quick_seconds", one.quick_seconds);
    entry.need("plan", plan).need("quick", plan);
    const auto model = std::ranges::find_if(all_models(), &ModelEntry::needs_examples);
    one.plan = plan_in(entry, "plan", {.model = ChosenModel(*model)});
    one.quick = plan_in(entry, "quick", one.plan);
  });
  SOTTO_TRY_DONE(root.done());
  if (wrong) return *wrong;
  return all;
}

}  // namespace

const Experiment& experiment_on(std::string_view dataset) {
  static const std::vector<Experiment> all = from_papers("averaging/plans.toml", read_experiments);
  const auto found = std::ranges::find(all, dataset, &Experiment::dataset);
  SOTTO_ASSERT(found != all.end(), "targets of chapter 5 have data of chapter 5");
  return *found;
}

Result<TrainRequest> averaging_request(const Target& target, const PaperData& data, std::string_view setting,
                                       std::uint64_t seed, Effort effort) {
  const Experiment& experiment = experiment_on(data.name);
  TrainRequest request = effort == Effort::quick ? experiment.quick : experiment.plan;
  request.data.paths = data.data.paths;
  request.plan.seed = seed;
  request.criteria.order = setting;
  auto& options = request.model.own<AveragingOptions>();
  if (target.runs.rounds > 0) options.rounds = target.runs.rounds;
  SOTTO_TRY(options.classifier.accelerator, parse_accelerator(target.runs.accelerator));
  return request;
}

double averaging_core_seconds(const Target& target, const PaperData& data, Effort effort) {
  const Experiment& experiment = experiment_on(data.name);
  const auto request = averaging_request(target, data, experiment.settings.front(), 1, effort);
  if (!request.ok()) return 0.0;
  const double round = effort == Effort::quick ? experiment.quick_seconds : experiment.seconds;
  return round * request->model.own<AveragingOptions>().rounds *
         static_cast<double>(seeds_of(target, effort).size() * experiment.settings.size()) /
         target.runs.parts;
}

}  // namespace sotto::lab
