#include "lab/reproduce/paper_plans.h"

#include <array>

#include "lab/reproduce/paper_entry.h"

namespace sotto::lab {

namespace {

constexpr std::array<std::string_view, 3> origins{"nothing", "validation", "given"};

struct Grid {
  std::vector<std::string> models;
  FullPlan plan;
  std::map<std::string, std::uint32_t> fewer;  // epochs, by dataset
};

struct PlanFile {
  PlanPart protocol;  // may be empty
  Search search;
  std::vector<PaperPlan> plans;
  std::vector<Grid> grids;
  std::vector<Variant> variants;
};

Result<PlanFile> read_plans(const toml::table& document, const std::string& file) {
  PlanFile all;
  PaperEntry root(document, file);
  root.may("protocol", all.protocol);
  root.part("search", [&](PaperEntry& entry) {
    entry.word("method", search_methods, all.search.method).need("metric", all.search.metric);
    entry.need("trials", all.search.trials);
  });
  root.each("plan", [&](PaperEntry& entry) {
    PaperPlan& plan = all.plans.emplace_back();
    entry.may("datasets", plan.datasets).need("model", plan.model).word("from", origins, plan.origin);
    entry.may("seeds", plan.seeds).need("seconds", plan.seconds).may("quick_seconds", plan.quick_seconds);
    entry.need("plan", plan.plan).may("quick", plan.quick);
  });
  root.each("grid", [&](PaperEntry& entry) {
    Grid& grid = all.grids.emplace_back();
    entry.need("models", grid.models).need("axes", grid.plan.grid);
    entry.may("epochs", grid.plan.epochs)
        .may("fewer", grid.fewer)
        .may("more_factors", grid.plan.more_factors);
  });
  root.each("variant", [&](PaperEntry& entry) {
    Variant& one = all.variants.emplace_back();
    entry.need("target", one.target).need("label", one.label).may("datasets", one.datasets);
    entry.may("models", one.models).may("quick", one.quick).may("work", one.work).may("x", one.x);
    entry.may("others", one.others).may("data", one.data).may("plan", one.plan);
  });
  SOTTO_TRY_DONE(root.done());
  return all;
}

const PlanFile& plans_of(const Paper& paper) {
  static const auto files = [] {
    std::map<std::string, PlanFile> all;
    for (const Target& target : targets())
      if (!target.paper->is("averaging") && !all.contains(target.paper->name))
        all.emplace(target.paper->name, from_papers(target.paper->name + "/plans.toml", read_plans));
    return all;
  }();
  return files.at(paper.name);
}

bool is_for(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || contains(names, name);
}

}  // namespace

const char* to_string(Effort effort) { return effort == Effort::quick ? "quick" : "full"; }

const PaperPlan* find_plan(const Paper& paper, std::string_view dataset, std::string_view model) {
  const PaperPlan* found = nullptr;
  for (const PaperPlan& plan : plans_of(paper).plans)
    if (plan.model == model &&
        (contains(plan.datasets, dataset) || (plan.datasets.empty() && found == nullptr)))
      found = &plan;
  return found;
}

const PaperPlan& quick_plan(const Paper& paper, std::string_view dataset, std::string_view model) {
  const PaperPlan* found = find_plan(paper, dataset, model);
  SOTTO_ASSERT(found != nullptr, "every model has a plan for any data");
  return *found;
}

Result<TrainRequest> request_of(const Paper& paper, const PaperPlan& plan, Effort effort) {
  TrainRequest request;
  if (const PlanPart& protocol = plans_of(paper).protocol) {
    SOTTO_TRY(request, protocol(std::move(request)));
  }
  SOTTO_TRY(request, plan.plan(std::move(request)));
  return effort == Effort::quick && plan.quick ? plan.quick(std::move(request)) : request;
}

std::vector<const Variant*> variants_of(const Target& target, std::string_view dataset,
                                        std::string_view model, Effort effort) {
  std::vector<const Variant*> variants;
  for (const Variant& one : plans_of(*target.paper).variants)
    if (one.target == target.name && is_for(one.datasets, dataset) && is_for(one.models, model) &&
        (one.quick || effort == Effort::full))
      variants.push_back(&one);
  return variants;
}

FullPlan full_plan(const Paper& paper, std::string_view dataset, std::string_view model) {
  for (const Grid& grid : plans_of(paper).grids) {
    if (!contains(grid.models, model)) continue;
    FullPlan plan = grid.plan;
    if (const auto fewer = grid.fewer.find(std::string(dataset)); fewer != grid.fewer.end())
      plan.epochs = fewer->second;
    return plan;
  }
  return {};
}

const Search& full_search(const Paper& paper) { return plans_of(paper).search; }

std::vector<double> quick_pis() { return {0.1, 0.5, 1.0}; }

std::vector<double> full_pis() { return {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}; }

}  // namespace sotto::lab
