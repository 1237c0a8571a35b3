#include "lab/reproduce/reproduce.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "lab/report/markup.h"
#include "lab/reproduce/averaging_runs.h"
#include "lab/reproduce/criteria_tables.h"

namespace sotto::lab {

namespace {

// Runs studies one after the other and remembers their names.
class StudyRunner {
 public:
  StudyRunner(ResultsFile& results, StudyHooks& hooks, std::size_t threads)
      : results_(results), hooks_(hooks), threads_(threads) {}

  [[nodiscard]] Status run(const std::vector<PlannedStudy>& studies) {
    for (const PlannedStudy& planned : studies) {
      StudyHooks hooks = hooks_;
      if (hooks_.on_progress)
        hooks.on_progress = [&](StudyProgress progress) {
          progress.study = planned.study.name;
          hooks_.on_progress(progress);
        };
      SOTTO_TRY(const StudyOutcome outcome, run_study(planned.study, results_, hooks, threads_));
      computed_ += outcome.computed;
      names_.push_back(planned.study.name);
    }
    return Done{};
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::uint64_t computed() const { return computed_; }

 private:
  ResultsFile& results_;
  StudyHooks& hooks_;
  std::size_t threads_;
  std::vector<std::string> names_;
  std::uint64_t computed_ = 0;
};

// The π of the stored plans.
Status choose_quick(const Target& target, const std::vector<PaperData>& data, Measurements& measured) {
  for (const PaperData& one : data)
    for (const std::string& model : target.models) {
      if (!is_fpl_label(model)) continue;
      SOTTO_TRY(const TrainRequest request,
                request_of(*target.paper, quick_plan(*target.paper, one.name, model)));
      measured.choose(one.name, model, request.plan.consent.pi);
    }
  return Done{};
}

// The π that a search chose: before all π were run, its final cell is the only point of a model.
struct Chosen {
  std::string dataset;
  std::string model;
  double pi;
};

Result<std::vector<Chosen>> run_full(const Target& target, const std::vector<PaperData>& data,
                                     StudyRunner& runner, const ResultsFile& results, Executor& executor) {
  std::vector<Chosen> chosen;
  SOTTO_TRY(const Measurements found, Measurements::load(results, runner.names(), executor));
  for (const PaperData& one : data) {
    if (!one.there) continue;
    SOTTO_TRY(const auto requests, found.requests(one.name));
    for (const auto& [model, request] : requests)
      if (is_fpl_label(model)) chosen.push_back({one.name, model, request.plan.consent.pi});
    if (target.pis == PiGrid::chosen) continue;
    SOTTO_TRY(const std::vector<PlannedStudy> studies, pi_studies(target, one, requests));
    SOTTO_TRY_DONE(runner.run(studies));
  }
  return chosen;
}

// The tables and figures of the target's kind; the papers on FPL have findings and figures of runs beside
// them.
Status fill(const TargetData& at, const std::string& results_path, Reproduction& out) {
  switch (at.target.kind) {
    case TargetKind::datasets:
      return add_dataset_table(at.data, out);
    case TargetKind::source_bias:
      return add_source_bias(at, out);
    case TargetKind::disparity:
      return add_disparity(at, out);
    case TargetKind::scores:
      SOTTO_TRY_DONE(add_score_tables(at, out));
      break;
    case TargetKind::costs:
    case TargetKind::cost_front:
      SOTTO_TRY_DONE(add_cost_tables(at, out));
      break;
    case TargetKind::f1_over_pi:
    case TargetKind::coverage_path:
      SOTTO_TRY_DONE(add_pi_tables(at, out));
      break;
    case TargetKind::updates:
    case TargetKind::recommended:
      break;
    case TargetKind::knowledge:
      SOTTO_TRY_DONE(add_knowledge_tables(at, out));
      return add_knowledge_findings(at, out), Done{};
    case TargetKind::preserved:
      SOTTO_TRY_DONE(add_preserved_tables(at, out));
      return add_knowledge_findings(at, out), Done{};
    case TargetKind::entropy:
    case TargetKind::ablation:
      SOTTO_TRY_DONE(add_knowledge_figure(at, out));
      return add_knowledge_findings(at, out), Done{};
    case TargetKind::word_clouds:
      return add_word_clouds(at, out);
    case TargetKind::cars_table:
      return add_cars_table(at, out);
    case TargetKind::participation:
      return add_participation(at, out);
    case TargetKind::cars_contexts:
      return add_context_curves(at, out);
    case TargetKind::protocols:
      return add_protocol_costs(at, out);
    case TargetKind::cold_start:
      return add_cold_start(at, out);
    case TargetKind::criteria:
      return add_criteria_tables(at, out);
    case TargetKind::reached_rounds:
    case TargetKind::mistakes:
    case TargetKind::accuracy_curves:
      SOTTO_ASSERT(false, "chapter 5 has runs of its own");
  }
  SOTTO_TRY_DONE(add_findings(at, out));
  return add_figures(at, results_path, out);
}

}  // namespace

Result<std::vector<PaperData>> data_for_target(const Target& target, const DataFolder& folder) {
  std::vector<PaperData> data;
  const auto any_there = [&] {
    return std::any_of(data.begin(), data.end(), [](const PaperData& one) { return one.there; });
  };
  for (const std::string& name : target.datasets) {
    SOTTO_TRY(PaperData found, find_data(name, folder));
    data.push_back(std::move(found));
  }
  if (!any_there() && !target.fallback.empty()) {
    SOTTO_TRY(PaperData found, find_data(target.fallback, folder));
    data.push_back(std::move(found));
  }
  if (any_there()) return data;
  std::string fetch;
  for (const PaperData& one : data) fetch += fmt::format("\n  {}: {}", one.name, one.remedy);
  return fail(Code::not_found,
              fmt::format("none of the data of {} is in {}: name another folder with --data, or "
                          "fetch one of{}",
                          target.name, folder.root.string(), fetch));
}

Result<std::vector<PaperData>> data_worked_on(const Target& target, std::vector<PaperData> data,
                                              const std::vector<std::string>& only, Effort effort) {
  std::string names;
  for (const PaperData& one : data) names += (names.empty() ? "" : ", ") + slug(one.shown);
  std::set<std::string> wanted;
  for (const std::string& name : only) {
    const auto found = std::find_if(data.begin(), data.end(), [&name](const PaperData& one) {
      return slug(name) == slug(one.shown) || slug(name) == slug(one.name);
    });
    if (found == data.end())
      return fail(Code::usage, fmt::format("{} has no dataset '{}': choose of {}", target.name, name, names));
    wanted.insert(found->name);
  }
  if (only.empty() && effort == Effort::quick)
    wanted.insert(target.quick_datasets.begin(), target.quick_datasets.end());
  const auto is_wanted = [&wanted](const PaperData& one) { return one.there && wanted.contains(one.name); };
  const bool any = std::any_of(data.begin(), data.end(), is_wanted);
  if (!only.empty() && !any) {
    std::string remedies;
    for (const PaperData& one : data)
      if (wanted.contains(one.name)) remedies += fmt::format("\n  {}: {}", one.name, one.remedy);
    return fail(Code::not_found, fmt::format("not here:{}", remedies));
  }
  // Without what --quick would take, it takes what is there.
  if (any) std::erase_if(data, [&wanted](const PaperData& one) { return !wanted.contains(one.name); });
  return data;
}

Result<double> estimated_core_seconds(const Target& target, const std::vector<PaperData>& data,
                                      Effort effort) {
  double seconds = 0.0;
  if (target.kind == TargetKind::datasets) return 10.0;
  for (const PaperData& one : data) {
    if (!one.there) continue;
    if (target.paper->is("averaging")) {
      seconds += averaging_core_seconds(target, one, effort);
      continue;
    }
    SOTTO_TRY(const std::vector<PlannedStudy> studies, first_studies(target, one, effort));
    for (const PlannedStudy& planned : studies) seconds += planned.core_seconds;
    if (effort == Effort::full) seconds += pi_core_seconds(target, one);
  }
  return seconds;
}

Result<Reproduction> reproduce(const Target& target, const std::vector<PaperData>& data, Effort effort,
                               ResultsFile& results, StudyHooks& hooks, std::size_t threads,
                               Executor& executor) {
  if (target.paper->is("averaging"))
    return reproduce_averaging(target, data, effort, std::filesystem::path(results.path()).parent_path(),
                               hooks, executor);
  StudyRunner runner(results, hooks, threads);
  std::vector<Chosen> chosen;
  if (target.kind != TargetKind::datasets) {
    for (const PaperData& one : data) {
      if (!one.there) continue;
      SOTTO_TRY(const std::vector<PlannedStudy> studies, first_studies(target, one, effort));
      SOTTO_TRY_DONE(runner.run(studies));
    }
    if (effort == Effort::full) {
      SOTTO_TRY(chosen, run_full(target, data, runner, results, executor));
    }
  }
  SOTTO_TRY(Measurements measured, Measurements::load(results, runner.names(), executor));
  if (effort == Effort::quick && target.paper->is("pairwise"))
    SOTTO_TRY_DONE(choose_quick(target, data, measured));
  for (const Chosen& one : chosen) measured.choose(one.dataset, one.model, one.pi);
  Reproduction out;
  out.target = target;
  out.effort = effort;
  out.computed = runner.computed();
  for (const PaperData& one : data)
    if (!one.there) out.absent.push_back(fmt::format("{}: {}", one.name, one.remedy));
  SOTTO_TRY_DONE(fill({target, data, measured, effort, executor, hooks.stop}, results.path(), out));
  return out;
}

VerdictCounts count_verdicts(const Reproduction& reproduction) {
  VerdictCounts counts{};
  for (const PaperTable& table : reproduction.tables)
    for (const PaperRow& row : table.rows)
      for (const PaperCell& cell : row.cells)
        if (!row.extra) ++counts[static_cast<std::size_t>(cell.verdict)];
  return counts;
}

}  // namespace sotto::lab
