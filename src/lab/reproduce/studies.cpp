#include "lab/reproduce/studies.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "lab/reproduce/cars_plans.h"
#include "lab/reproduce/criteria_plans.h"
#include "lab/reproduce/knowledge_plans.h"
#include "lab/reproduce/paper_plans.h"

namespace sotto {

namespace {

std::vector<std::uint64_t> three_seeds() { return {1, 2, 3}; }

Study begin(const Target& target, const PaperData& data, Effort effort, const char* purpose) {
  Study study;
  study.name = fmt::format("{} {}: {}, {}", target.name, to_string(effort), data.shown, purpose);
  study.datasets = {{data.name, data.data, ""}};
  return study;
}

std::string text_of(double pi) { return fmt::format("{:.1f}", pi); }

Axis pi_axis(std::vector<double> pis) {
  std::sort(pis.begin(), pis.end());
  pis.erase(std::unique(pis.begin(), pis.end()), pis.end());
  Axis axis{"consent.pi", {}, {}, ""};
  for (const double pi : pis) axis.values.push_back(text_of(pi));
  return axis;
}

// The values of π a target looks at, the chosen one among them.
std::vector<double> quick_values(PiGrid grid, double chosen) {
  std::vector<double> pis{chosen};
  if (grid == PiGrid::chosen) return pis;
  for (const double pi : quick_pis()) pis.push_back(pi);
  if (grid == PiGrid::with_zero) pis.push_back(0.0);
  return pis;
}

void add_model(PlannedStudy& planned, std::string_view label, const TrainRequest& request,
               std::vector<Axis> grid, double seconds) {
  std::size_t points = 1;
  for (const Axis& axis : grid) points *= axis.values.size();
  planned.core_seconds += seconds * static_cast<double>(points * planned.study.seeds.size());
  planned.study.models.push_back({std::string(label), request, std::move(grid), ""});
}

Result<std::vector<PlannedStudy>> quick_studies(const Target& target, const PaperData& data) {
  PlannedStudy one{begin(target, data, Effort::quick, "one seed"), data.name, 0.0};
  PlannedStudy three{begin(target, data, Effort::quick, "three seeds"), data.name, 0.0};
  three.study.seeds = three_seeds();
  for (const std::string_view model : trained_models(target, data)) {
    const QuickPlan& plan = quick_plan(data.name, model);
    SOTTO_TRY(const TrainRequest request, request_of(plan));
    const bool fpl = is_fpl_label(model);
    const double chosen = request.plan.consent.pi;
    if (plan.seeds > 1)
      add_model(three, model, request, fpl ? std::vector{pi_axis({chosen})} : std::vector<Axis>{},
                plan.seconds);
    if (fpl)
      add_model(one, model, request, {pi_axis(quick_values(target.pis, chosen))}, plan.seconds);
    else if (plan.seeds == 1)
      add_model(one, model, request, {}, plan.seconds);
  }
  std::vector<PlannedStudy> studies;
  for (PlannedStudy* planned : {&one, &three})
    if (!planned->study.models.empty()) studies.push_back(std::move(*planned));
  return studies;
}

// Of one training to the last epoch, at the largest F of the grid.
double full_seconds(std::string_view dataset, std::string_view model, const TrainRequest& quick) {
  const QuickPlan& plan = quick_plan(dataset, model);
  const std::uint32_t epochs = full_plan(dataset, model).epochs;
  if (epochs == 0) return plan.seconds;
  double seconds = plan.seconds * epochs / std::max(1u, quick.plan.epochs);
  if (is_fpl_label(model) || model == "BPR-MF") seconds *= std::max(1.0, 50.0 / quick.plan.fpl.factors);
  return seconds;
}

// What a search and its three finals cost, in trainings to the last epoch.
double search_trainings(const Search& search, std::size_t points, bool has_epochs) {
  double trials = static_cast<double>(std::min<std::size_t>(points, search.trials));
  if (search.method != SearchMethod::halving) return trials + 3.0;
  if (!has_epochs) return static_cast<double>(points) + 3.0;
  const double rungs = std::max(1.0, std::floor(std::log(trials) / std::log(search.eta) + 1e-9));
  double sum = 0.0;
  for (double rung = rungs; rung >= 0.0; --rung, trials = std::max(1.0, std::floor(trials / search.eta)))
    sum += trials / std::pow(search.eta, rung);
  return sum + 3.0;
}

Result<std::vector<PlannedStudy>> search_studies(const Target& target, const PaperData& data) {
  PlannedStudy searched{begin(target, data, Effort::full, "search"), data.name, 0.0};
  // Where each seed has a split of its own, one would not do.
  const bool drawn = is_knowledge_kind(target.kind);
  PlannedStudy plain{begin(target, data, Effort::full, drawn ? "no search" : "one seed"), data.name, 0.0};
  if (drawn) plain.study.seeds = three_seeds();
  searched.study.seeds = three_seeds();
  searched.study.search = full_search(data.name);
  for (const std::string_view model : trained_models(target, data)) {
    SOTTO_TRY(TrainRequest request, request_of(quick_plan(data.name, model)));
    const FullPlan plan = full_plan(data.name, model);
    const double seconds = full_seconds(data.name, model, request);
    if (plan.grid.empty()) {
      add_model(plain, model, request, {}, seconds);
      continue;
    }
    if (plan.epochs > 0) request.plan.epochs = plan.epochs;
    std::size_t points = 1;
    for (const Axis& axis : plan.grid) points *= axis.values.size();
    searched.core_seconds += seconds * search_trainings(*searched.study.search, points, plan.epochs > 0);
    searched.study.models.push_back({std::string(model), request, plan.grid, ""});
  }
  std::vector<PlannedStudy> studies;
  for (PlannedStudy* planned : {&plain, &searched})
    if (!planned->study.models.empty()) studies.push_back(std::move(*planned));
  return studies;
}

}  // namespace

const char* to_string(Effort effort) { return effort == Effort::quick ? "quick" : "full"; }

std::vector<std::string_view> trained_models(const Target& target, const PaperData& data) {
  // The slowest first, so that no thread is left alone with them at the end.
  std::vector<std::string_view> models = target.models;
  if (data.hops == 1) std::erase_if(models, needs_second_hop);
  if (target.extras) models.insert(models.end(), extra_models().begin(), extra_models().end());
  const std::string_view dataset = is_knowledge_kind(target.kind) ? std::string_view(data.name) : "";
  std::stable_sort(models.begin(), models.end(), [dataset](std::string_view a, std::string_view b) {
    return quick_plan(dataset, a).seconds > quick_plan(dataset, b).seconds;
  });
  return models;
}

Result<std::vector<PlannedStudy>> first_studies(const Target& target, const PaperData& data, Effort effort) {
  if (is_cars_kind(target.kind)) return cars_studies(target, data, effort);
  if (target.kind == TargetKind::criteria) return criteria_studies(target, data, effort);
  return effort == Effort::quick ? quick_studies(target, data) : search_studies(target, data);
}

Result<std::vector<PlannedStudy>> pi_studies(const Target& target, const PaperData& data,
                                             const std::map<std::string, TrainRequest>& chosen) {
  PlannedStudy planned{begin(target, data, Effort::full, "all π"), data.name, 0.0};
  planned.study.seeds = three_seeds();
  for (const std::string_view model : target.models) {
    const auto found = chosen.find(std::string(model));
    if (!is_fpl_label(model) || found == chosen.end()) continue;
    add_model(planned, model, found->second, {pi_axis(full_pis())}, 0.0);
  }
  planned.core_seconds = pi_core_seconds(target, data);
  if (planned.study.models.empty()) return std::vector<PlannedStudy>{};
  std::vector<PlannedStudy> studies;
  studies.push_back(std::move(planned));
  return studies;
}

double pi_core_seconds(const Target& target, const PaperData& data) {
  if (target.pis == PiGrid::chosen) return 0.0;
  double seconds = 0.0;
  for (const std::string_view model : target.models) {
    if (!is_fpl_label(model)) continue;
    const auto quick = request_of(quick_plan(data.name, model));
    if (quick.ok())
      seconds += full_seconds(data.name, model, *quick) * static_cast<double>(full_pis().size()) * 3.0;
  }
  return seconds;
}

}  // namespace sotto
