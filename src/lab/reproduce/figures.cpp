// The figures of chapter 4, drawn by lab/report from the cells of this target's studies.
#include "lab/report/figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "lab/report/markup.h"
#include "lab/reproduce/table_parts.h"

namespace sotto::lab {

namespace {

// The runs of this target: its points' cells, each once, under the datasets' shown names.
ReportData runs_of(ReportData all, const TargetData& at) {
  std::map<std::string, std::string> shown;  // key → dataset
  for (const PaperData& data : at.data)
    for (const std::string& model : at.target.models)
      for (const MeasuredPoint* point : at.measured.points(data.name, model))
        for (const StoredCell& cell : point->cells) shown[cell.place.key] = data.shown;
  std::vector<ReportRun> runs;
  std::set<std::string> seen;
  for (ReportRun& run : all.runs) {
    const auto found = shown.find(run.place.key);
    if (found == shown.end() || !is_fpl_label(run.place.model) || !seen.insert(run.place.key).second)
      continue;
    run.place.dataset = found->second;
    runs.push_back(std::move(run));
  }
  all.runs = std::move(runs);
  name_configurations(all.runs);
  return all;
}

// The charts whose names have this in them; gaps tell what is missing in any case.
std::vector<PageBlock> named(const std::vector<PageBlock>& blocks, const char* part) {
  std::vector<PageBlock> chosen;
  for (const PageBlock& block : blocks) {
    const Chart* chart = std::get_if<Chart>(&block);
    if (chart == nullptr || head_of(*chart).name.find(part) != std::string::npos) chosen.push_back(block);
  }
  return chosen;
}

std::vector<PageBlock> figures_for(TargetKind kind, const DatasetRuns& runs) {
  switch (kind) {
    case TargetKind::f1_over_pi:
      return named(accuracy_figures(runs), "f1-over-pi");
    case TargetKind::coverage_path:
      return named(accuracy_figures(runs), "coverage-over-precision");
    case TargetKind::updates:
      return named(item_figures(runs), "updates-");
    case TargetKind::recommended:
      return named(item_figures(runs), "recommended-");
    case TargetKind::costs:
    case TargetKind::cost_front:
      return cost_figures(runs);
    default:
      return accuracy_figures(runs);
  }
}

Result<PaperRow> pi_row(const TargetData& at, const MeasuredPoint& point) {
  PaperRow row{point.model, fmt::format("π {:.1f}", *point.pi), {}, true};
  for (const char* metric : {"P@10", "R@10", "F1means@10", "IC@10"}) {
    SOTTO_TRY(PaperCell cell, point_cell(at, point, metric));
    row.cells.push_back(std::move(cell));
  }
  return row;
}

}  // namespace

Status add_pi_tables(const TargetData& at, Reproduction& out) {
  for (const PaperData& data : at.data) {
    PaperTable table{data.shown, "model", {"P@10", "R@10", "F1means@10", "IC@10"}, {}, {}};
    for (const std::string& model : at.target.models)
      for (const MeasuredPoint* point : at.measured.points(data.name, model)) {
        SOTTO_TRY(PaperRow row, pi_row(at, *point));
        table.rows.push_back(std::move(row));
      }
    if (!table.rows.empty()) out.tables.push_back(std::move(table));
  }
  return Done{};
}

Status add_figures(const TargetData& at, const std::string& results_path, Reproduction& out) {
  SOTTO_TRY(ReportData all, read_report_data(results_path));
  const ReportData data = runs_of(std::move(all), at);
  for (DatasetRuns& runs : datasets_of(data)) {
    out.figures.emplace_back(PageText{runs.dataset});
    for (PageBlock& block : figures_for(at.target.kind, runs)) out.figures.push_back(std::move(block));
  }
  return Done{};
}

}  // namespace sotto::lab
