// Which cells and metrics a command below `sotto results` looks at, and where its answer goes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/results.h"
#include "metrics/metric_name.h"

namespace sotto::cli {

Result<std::vector<StoredCell>> asked_cells(const ResultsFile& file, const ResultsOptions& options) {
  std::vector<CellCondition> conditions;
  for (const std::string& text : options.where) {
    SOTTO_TRY(CellCondition condition, parse_condition(text));
    conditions.push_back(std::move(condition));
  }
  if (!options.phase.empty() && options.phase != "search" && options.phase != "final")
    return fail(Code::usage, fmt::format("unknown phase '{}': choose search or final", options.phase));
  if (!options.status.empty() && options.status != "done" && options.status != "failed")
    return fail(Code::usage, fmt::format("unknown status '{}': choose done or failed", options.status));
  if (!options.phase.empty()) conditions.push_back({"phase", options.phase});
  if (!options.status.empty()) conditions.push_back({"status", options.status});
  SOTTO_TRY(std::vector<StoredCell> cells, file.cells());
  return filtered(std::move(cells), conditions);
}

Result<std::vector<std::string>> asked_metrics(const std::vector<StoredCell>& cells,
                                               const ResultsOptions& options) {
  const std::vector<std::string> known = metrics_in(cells);
  const auto exists = [&known](const std::string& name) {
    return std::ranges::find(known, name) != known.end();
  };
  std::vector<std::string> asked = options.metrics;
  if (!options.sort.empty()) asked.push_back(options.sort);
  for (const std::string& name : asked) {
    if (exists(name) || known.empty()) continue;
    std::string names;
    for (const std::string& one : known) names += (names.empty() ? "" : ", ") + one;
    return fail(Code::usage, fmt::format("no cell has the metric '{}'; there are {}", name, names));
  }
  if (!options.metrics.empty()) return options.metrics;
  std::uint32_t deepest = 0;
  for (const std::string& name : known)
    if (const std::size_t at = name.find('@'); at != std::string::npos)
      deepest =
          std::max(deepest, static_cast<std::uint32_t>(std::strtoul(name.c_str() + at + 1, nullptr, 10)));
  std::vector<std::string> metrics;
  for (const MetricNeeds needs : {MetricNeeds::lists, MetricNeeds::ratings, MetricNeeds::labels})
    for (const std::string& metric : usual_metrics(deepest, needs))
      if (exists(metric)) metrics.push_back(metric);
  return metrics;
}

PlaceColumns::PlaceColumns(const std::vector<StoredCell>& cells, bool with_seed) : with_seed_(with_seed) {
  std::set<std::string> keys, studies;
  std::set<Phase> phases;
  for (const StoredCell& cell : cells) {
    studies.insert(cell.place.study);
    phases.insert(cell.place.phase);
    for (const auto& [key, value] : cell.place.settings) keys.insert(key);
  }
  keys_.assign(keys.begin(), keys.end());
  with_study_ = studies.size() > 1;
  with_phase_ = phases.size() > 1;
}

void PlaceColumns::add_to(Sheet& sheet) const {
  sheet.columns.push_back({"study", false, with_study_ ? Readers::all : Readers::programs});
  sheet.columns.push_back({"dataset"});
  sheet.columns.push_back({"model"});
  sheet.columns.push_back({"phase", false, with_phase_ ? Readers::all : Readers::programs});
  if (!keys_.empty()) sheet.columns.push_back({"settings", false, Readers::people});
  for (const std::string& key : keys_) sheet.columns.push_back({key, false, Readers::programs});
  if (with_seed_) sheet.columns.push_back({"seed"});
}

std::vector<SheetCell> PlaceColumns::cells(const CellPlace& place) const {
  std::vector<SheetCell> cells{word_cell(place.study), word_cell(place.dataset), word_cell(place.model),
                               word_cell(to_string(place.phase))};
  if (!keys_.empty()) cells.push_back(word_cell(settings_text(place)));
  for (const std::string& key : keys_) {
    const auto found = place.settings.find(key);
    cells.push_back(found != place.settings.end() ? word_cell(found->second) : SheetCell{nullptr, ""});
  }
  if (with_seed_) cells.push_back({place.seed, fmt::format("{}", place.seed)});
  return cells;
}

Status answer(const Sheet& sheet, const ResultsOptions& options, const Console& console) {
  SOTTO_TRY(SheetFormat format, parse_sheet_format(options.format));
  if (options.common.json) format = SheetFormat::json;
  return write_output(console, options.out,
                      sheet_text(sheet, format, options.out == "-" ? console : Console()));
}

}  // namespace sotto::cli
