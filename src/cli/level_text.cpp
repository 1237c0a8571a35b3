#include "cli/level_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run_text.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

namespace {

// "10" where the longest lists have ten places; empty without lists.
std::string longest_cutoff(const nlohmann::json& levels) {
  unsigned long longest = 0;
  for (const auto& level : levels)
    for (const auto& [name, value] : level["metrics"].items())
      if (name.starts_with("nDCG@")) longest = std::max(longest, std::stoul(name.substr(5)));
  return longest == 0 ? "" : std::to_string(longest);
}

}  // namespace

std::string levels_text(const nlohmann::json& levels, const Console& console) {
  const std::string at = longest_cutoff(levels);
  if (at.empty()) return {};
  std::vector<TableColumn> columns{{"level"}, {"people judged", Align::right}};
  const std::vector<std::string> names{"P@" + at, "R@" + at, "nDCG@" + at};
  for (const std::string& name : names) columns.push_back({name, Align::right});
  Table table(std::move(columns));
  for (const auto& level : levels) {
    std::vector<std::string> cells{level["level"].get<std::string>(),
                                   human_count(level["people"].get<std::uint64_t>())};
    for (const std::string& name : names)
      cells.push_back(metric_cell(name, level["metrics"].value(name, nlohmann::json())));
    table.row(std::move(cells));
  }
  return table.text(console);
}

}  // namespace sotto::cli
