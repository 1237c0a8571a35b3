#include "lab/reproduce/cars_analysis.h"

#include <fmt/core.h>

#include <cmath>

namespace sotto {

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

void add_finding(Finding finding, const ClaimVotes& votes, Reproduction& out) {
  finding.outcome = votes.outcome();
  if (!finding.evidence.empty()) out.findings.push_back(std::move(finding));
}

std::string seeds_text(const TargetData& at, const PaperData& data, std::string_view model) {
  const MeasuredPoint* point = at.measured.chosen(data.name, model);
  return point == nullptr ? "" : fmt::format("×{}", point->cells.size());
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

}  // namespace sotto
