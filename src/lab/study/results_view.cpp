#include "lab/study/results_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "engine/plan/request.h"
#include "metrics/metric_name.h"

namespace sotto::lab {

namespace {

const char* status_of(const StoredCell& cell) { return cell.result.done ? "done" : "failed"; }

// Nothing: the cell has no such key.
std::optional<std::string> value_of(const StoredCell& cell, const std::string& key) {
  const CellPlace& place = cell.place;
  if (key == "study") return place.study;
  if (key == "dataset") return place.dataset;
  if (key == "model") return place.model;
  if (key == "phase") return to_string(place.phase);
  if (key == "seed") return fmt::format("{}", place.seed);
  if (key == "status") return status_of(cell);
  const auto found = place.settings.find(key);
  if (found == place.settings.end()) return std::nullopt;
  return found->second;
}

bool same(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const std::optional<double> left = number_in(a), right = number_in(b);
  return left && right && *left == *right;
}

std::string known_keys(const std::vector<StoredCell>& cells) {
  std::set<std::string> settings;
  for (const StoredCell& cell : cells)
    for (const auto& [key, value] : cell.place.settings) settings.insert(key);
  std::string text = "study, dataset, model, phase, seed, status";
  for (const std::string& key : settings) text += ", " + key;
  return text;
}

}  // namespace

Result<CellCondition> parse_condition(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0)
    return fail(Code::usage, fmt::format("'{}' is no condition: write KEY=VALUE, such as model=sFPL+", text));
  return CellCondition{text.substr(0, at), text.substr(at + 1)};
}

Result<std::vector<StoredCell>> filtered(std::vector<StoredCell> cells,
                                         const std::vector<CellCondition>& conditions) {
  for (const auto& [key, wanted] : conditions) {
    const bool known = cells.empty() || std::ranges::any_of(cells, [&name = key](const StoredCell& cell) {
                         return value_of(cell, name).has_value();
                       });
    if (!known)
      return fail(Code::usage, fmt::format("no cell has '{}'; there are {}", key, known_keys(cells)));
  }
  std::erase_if(cells, [&](const StoredCell& cell) {
    return !std::ranges::all_of(conditions, [&](const CellCondition& condition) {
      const std::optional<std::string> value = value_of(cell, condition.key);
      return value && same(*value, condition.value);
    });
  });
  return cells;
}

Spread SeedGroup::metric(const std::string& name) const {
  std::vector<double> values;
  for (const StoredCell* cell : cells)
    if (const std::optional<double> value = cell->result.metric(name); value && !std::isnan(*value))
      values.push_back(*value);
  return values.empty() ? Spread{} : spread_of(values);
}

std::vector<SeedGroup> by_seed(const std::vector<StoredCell>& cells) {
  using Name = std::tuple<std::string, std::string, std::string, Phase, std::map<std::string, std::string>>;
  std::map<Name, std::size_t> places;
  std::vector<SeedGroup> groups;
  for (const StoredCell& cell : cells) {
    if (!cell.result.done) continue;
    const CellPlace& place = cell.place;
    const Name name{place.study, place.dataset, place.model, place.phase, place.settings};
    const auto [entry, fresh] = places.try_emplace(name, groups.size());
    if (fresh) groups.emplace_back();
    groups[entry->second].cells.push_back(&cell);
  }
  return groups;
}

std::vector<SeedGroup> best_groups(const std::vector<SeedGroup>& groups, const std::string& metric) {
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  std::vector<SeedGroup> best;
  for (const SeedGroup& group : groups) {
    const Spread spread = group.metric(metric);
    if (spread.count == 0) continue;
    const CellPlace& place = group.place();
    const auto [entry, fresh] = places.try_emplace({place.study, place.dataset, place.model}, best.size());
    if (fresh) {
      best.push_back(group);
    } else if (is_better(metric, spread.mean, best[entry->second].metric(metric).mean)) {
      best[entry->second] = group;
    }
  }
  return best;
}

std::vector<std::string> metrics_in(const std::vector<StoredCell>& cells) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const StoredCell& cell : cells)
    for (const Metric& metric : cell.result.metrics)
      if (seen.insert(metric.name).second) names.push_back(metric.name);
  return names;
}

std::string settings_text(const CellPlace& place) {
  const auto name = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
  std::map<std::string, int> bearers;
  for (const auto& [key, value] : place.settings) ++bearers[name(key)];
  std::string text;
  for (const auto& [key, value] : place.settings)
    text += (text.empty() ? "" : ", ") + (bearers[name(key)] == 1 ? name(key) : key) + " " + value;
  return text;
}

Result<std::uint64_t> outdated_cells(const ResultsFile& results) {
  SOTTO_TRY(const std::vector<StoredCell> cells, results.cells());
  std::uint64_t outdated = 0;
  for (const StoredCell& cell : cells) outdated += from_toml(cell.result.request, "").ok() ? 0u : 1u;
  return outdated;
}

}  // namespace sotto::lab
