#include "lab/reproduce/table_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "metrics/metric_name.h"

namespace sotto::lab {

void add_finding(Finding finding, const ClaimVotes& votes, Reproduction& out) {
  finding.outcome = votes.outcome();
  if (!finding.evidence.empty()) out.findings.push_back(std::move(finding));
}

void look_at(std::optional<Rival>& best, std::string_view metric, std::string_view label,
             std::optional<double> value) {
  if (value && (!best || is_better(metric, *value, best->value))) best = Rival{std::string(label), *value};
}

std::optional<double> mean_of(const TargetData& at, const PaperData& data, std::string_view model,
                              std::string_view metric) {
  const MeasuredPoint* point = at.measured.chosen(data.name, model);
  if (point == nullptr) return std::nullopt;
  const auto value = at.measured.value(*point, metric);
  return value.ok() && *value ? std::optional((*value)->mean) : std::nullopt;
}

PaperCell over_seeds(const std::vector<double>& values) {
  PaperCell cell;
  if (values.empty()) return cell;
  cell.ours = spread_of(values).mean;
  if (values.size() > 1) cell.interval = mean_interval(values);
  return cell;
}

Result<PaperCell> point_cell(const TargetData& at, const MeasuredPoint& point, std::string_view metric) {
  PaperCell cell;
  SOTTO_TRY(const std::optional<MeasuredValue> value, at.measured.value(point, metric));
  if (!value) return cell;
  cell.ours = value->mean;
  cell.interval = value->interval;
  return cell;
}

Result<PaperCell> measured_cell(const TargetData& at, const PaperData& data, std::string_view model,
                                std::string_view metric, std::optional<double> printed) {
  const MeasuredPoint* point = data.there ? at.measured.chosen(data.name, model) : nullptr;
  PaperCell cell;
  if (point != nullptr) {
    SOTTO_TRY(cell, point_cell(at, *point, metric));
  }
  cell.printed = printed;
  if (!cell.ours) {
    cell.verdict = data.there ? Verdict::failed : Verdict::absent;
    return cell;
  }
  const MetricFacts* facts = metrics::facts_of(metric);
  const bool less = facts != nullptr && facts->less_is_better;
  cell.verdict = data.proxy && printed
                     ? Verdict::other
                     : judge(printed, *cell.ours, less ? Yardstick::at_most : Yardstick::at_least);
  return cell;
}

Result<PaperRow> measured_row(const TargetData& at, const PaperData& data, std::string label,
                              std::string_view model, const std::vector<std::string>& metrics,
                              const PrintOf& print) {
  PaperRow row{std::move(label), seeds_text(at, data, model), {}, !print};
  for (const std::string& metric : metrics) {
    SOTTO_TRY(PaperCell cell, measured_cell(at, data, model, metric, print ? print(metric) : std::nullopt));
    row.cells.push_back(std::move(cell));
  }
  return row;
}

std::string seeds_text(const TargetData& at, const PaperData& data, std::string_view model) {
  const MeasuredPoint* point = at.measured.chosen(data.name, model);
  if (point == nullptr) return "";
  const std::string seeds = fmt::format("×{}", point->cells.size());
  return point->pi ? fmt::format("π {:.1f} {}", *point->pi, seeds) : seeds;
}

void mark_best(PaperTable& table, const std::vector<std::string>& competing) {
  for (std::size_t metric = 0; metric < table.metrics.size(); ++metric) {
    std::vector<PaperCell*> cells;
    for (PaperRow& row : table.rows)
      if ((competing.empty() || contains(competing, row.label)) && row.cells[metric].ours)
        cells.push_back(&row.cells[metric]);
    std::stable_sort(cells.begin(), cells.end(), [&](const PaperCell* a, const PaperCell* b) {
      return is_better(table.metrics[metric], *a->ours, *b->ours);
    });
    for (PaperCell* cell : cells) {
      if (*cell->ours == *cells.front()->ours)
        cell->standing = RankMark::best;
      else if (*cell->ours == *cells[1]->ours && *cells[1]->ours != *cells.front()->ours)
        cell->standing = RankMark::second;
    }
  }
}

void note_failures(const TargetData& at, const PaperData& data, PaperTable& table) {
  for (const PaperRow& row : table.rows) {
    const std::string reason = at.measured.failure(data.name, row.label);
    if (!reason.empty()) table.notes.push_back(fmt::format("{} failed: {}", row.label, reason));
  }
}

void note_untuned(const TargetData& at, PaperTable& table) {
  for (const PaperRow& row : table.rows) {
    if (row.label != at.target.paper->untuned) continue;
    const std::optional<double> ratio = ratio_of(row.cells.front().printed, row.cells.front().ours);
    if (ratio && std::abs(*ratio - 1.0) > 0.05)
      table.notes.push_back(
          fmt::format(fmt::runtime(at.target.paper->untuned_note), row.label, *ratio, table.metrics.front()));
  }
}

// Whoever reads "reached" should know which plans may have been picked with the test part in view.
void note_given_plans(const TargetData& at, const PaperData& data, PaperTable& table) {
  if (at.effort == Effort::full) return;
  std::string names;
  for (const PaperRow& row : table.rows)
    if (quick_plan(*at.target.paper, data.name, row.label).origin == PlanOrigin::given)
      names += (names.empty() ? "" : ", ") + row.label;
  if (!names.empty()) table.notes.push_back(fmt::format(fmt::runtime(at.target.paper->given), names));
}

XyChart line_chart(std::string name, std::string title, std::string caption, std::string x, std::string y) {
  XyChart chart;
  chart.head = {std::move(name), std::move(title), std::move(caption)};
  chart.x.label = std::move(x);
  chart.y.label = std::move(y);
  return chart;
}

ChartSeries series_of(const PaperTable& table, const std::string& name, std::size_t column,
                      const std::vector<double>& x) {
  ChartSeries series{name, {}};
  for (std::size_t row = 0; row < table.rows.size() && row < x.size(); ++row) {
    const PaperCell& cell = table.rows[row].cells[column];
    if (!cell.ours) continue;
    ChartPoint point{x[row], *cell.ours};
    if (cell.interval && std::isfinite(cell.interval->low)) {
      point.range = cell.interval;
      series.spread = PointSpread::band;
    }
    series.points.push_back(std::move(point));
  }
  return series;
}

}  // namespace sotto::lab
