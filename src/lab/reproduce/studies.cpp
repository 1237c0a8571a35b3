#include "lab/reproduce/studies.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto::lab {

namespace {

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

std::vector<PlannedStudy> not_empty(std::vector<PlannedStudy> studies) {
  std::erase_if(studies, [](const PlannedStudy& planned) { return planned.study.models.empty(); });
  return studies;
}

Result<std::vector<PlannedStudy>> quick_studies(const Target& target, const PaperData& data) {
  PlannedStudy one = begin_study(target, data, Effort::quick, "one seed");
  PlannedStudy three = begin_study(target, data, Effort::quick, "three seeds");
  one.study.seeds = {1};
  for (const std::string& model : trained_models(target, data)) {
    const PaperPlan& plan = quick_plan(*target.paper, data.name, model);
    SOTTO_TRY(const TrainRequest request, request_of(*target.paper, plan));
    const bool fpl = is_fpl_label(model);
    const double chosen = request.plan.consent.pi;
    if (plan.seeds > 1)
      three.add(model, request, fpl ? std::vector{pi_axis({chosen})} : std::vector<Axis>{}, plan.seconds);
    if (fpl)
      one.add(model, request, {pi_axis(quick_values(target.pis, chosen))}, plan.seconds);
    else if (plan.seeds == 1)
      one.add(model, request, {}, plan.seconds);
  }
  return not_empty({std::move(one), std::move(three)});
}

// Of one training to the last epoch, at the largest F of the grid.
double full_seconds(const Target& target, std::string_view dataset, std::string_view model,
                    const TrainRequest& quick) {
  const PaperPlan& plan = quick_plan(*target.paper, dataset, model);
  const FullPlan full = full_plan(*target.paper, dataset, model);
  if (full.epochs == 0) return plan.seconds;
  return plan.seconds * full.epochs / std::max(1u, quick.plan.epochs) *
         (full.more_factors ? std::max(1.0, 50.0 / quick.plan.fpl.factors) : 1.0);
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
  const Paper& paper = *target.paper;
  PlannedStudy searched = begin_study(target, data, Effort::full, "search");
  // Where each seed has a split of its own, one would not do.
  const bool drawn = paper.is("knowledge");
  PlannedStudy plain = begin_study(target, data, Effort::full, drawn ? "no search" : "one seed");
  if (!drawn) plain.study.seeds = {1};
  searched.study.search = full_search(paper);
  for (const std::string& model : trained_models(target, data)) {
    SOTTO_TRY(TrainRequest request, request_of(paper, quick_plan(paper, data.name, model)));
    const FullPlan plan = full_plan(paper, data.name, model);
    const double seconds = full_seconds(target, data.name, model, request);
    if (plan.grid.empty()) {
      plain.add(model, request, {}, seconds);
      continue;
    }
    if (plan.epochs > 0) request.plan.epochs = plan.epochs;
    std::size_t points = 1;
    for (const Axis& axis : plan.grid) points *= axis.values.size();
    searched.core_seconds += seconds * search_trainings(*searched.study.search, points, plan.epochs > 0);
    searched.study.models.push_back({model, request, plan.grid, ""});
  }
  return not_empty({std::move(plain), std::move(searched)});
}

}  // namespace

void PlannedStudy::add(std::string_view label, const TrainRequest& request, std::vector<Axis> grid,
                       double seconds) {
  std::size_t points = 1;
  for (const Axis& axis : grid) points *= axis.values.size();
  core_seconds += seconds * static_cast<double>(points * study.seeds.size());
  study.models.push_back({std::string(label), request, std::move(grid), ""});
}

std::vector<std::uint64_t> seeds_of(const Target& target, Effort effort) {
  const std::uint32_t usual = effort == Effort::quick ? target.paper->quick_seeds : 3;
  std::vector<std::uint64_t> seeds(target.seeds > 0 ? target.seeds : usual);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  return seeds;
}

PlannedStudy begin_study(const Target& target, const PaperData& data, Effort effort,
                         std::string_view purpose) {
  PlannedStudy planned;
  planned.study.name = fmt::format("{} {}: {}, {}", target.name, to_string(effort), data.shown, purpose);
  planned.study.datasets = {{data.name, data.data, ""}};
  planned.study.seeds = seeds_of(target, effort);
  planned.dataset = data.name;
  return planned;
}

std::vector<std::string> trained_models(const Target& target, const PaperData& data) {
  const Paper& paper = *target.paper;
  std::vector<std::string> models = target.models;
  if (data.hops == 1)
    std::erase_if(models, [&](const std::string& model) { return contains(paper.second_hop, model); });
  models.insert(models.end(), target.extras.begin(), target.extras.end());
  // The slowest first, so that no thread is left alone with them at the end.
  const std::string_view dataset = paper.is("knowledge") ? std::string_view(data.name) : "";
  std::stable_sort(models.begin(), models.end(), [&](const std::string& a, const std::string& b) {
    return quick_plan(paper, dataset, a).seconds > quick_plan(paper, dataset, b).seconds;
  });
  return models;
}

Result<std::vector<PlannedStudy>> first_studies(const Target& target, const PaperData& data, Effort effort) {
  if (target.paper->is("cars")) return cars_studies(target, data, effort);
  if (target.paper->is("criteria")) return criteria_studies(target, data, effort);
  return effort == Effort::quick ? quick_studies(target, data) : search_studies(target, data);
}

Result<std::vector<PlannedStudy>> pi_studies(const Target& target, const PaperData& data,
                                             const std::map<std::string, TrainRequest>& chosen) {
  PlannedStudy planned = begin_study(target, data, Effort::full, "all π");
  for (const std::string& model : target.models) {
    const auto found = chosen.find(model);
    if (!is_fpl_label(model) || found == chosen.end()) continue;
    planned.add(model, found->second, {pi_axis(full_pis())}, 0.0);
  }
  planned.core_seconds = pi_core_seconds(target, data);
  return not_empty({std::move(planned)});
}

double pi_core_seconds(const Target& target, const PaperData& data) {
  if (target.pis == PiGrid::chosen) return 0.0;
  double seconds = 0.0;
  for (const std::string& model : target.models) {
    if (!is_fpl_label(model)) continue;
    const auto quick = request_of(*target.paper, quick_plan(*target.paper, data.name, model));
    if (quick.ok())
      seconds +=
          full_seconds(target, data.name, model, *quick) * static_cast<double>(full_pis().size()) * 3.0;
  }
  return seconds;
}

}  // namespace sotto::lab
