#include "engine/train/level_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run_text.h"
#include "cli/table.h"

namespace sotto {

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

nlohmann::json levels_json(const DrawnLevels& levels, const PerUser& judged) {
  nlohmann::json json = nlohmann::json::array();
  for (std::size_t level = 0; level < levels.names.size(); ++level) {
    std::vector<double> sums(judged.names.size(), 0.0);
    std::size_t people = 0;
    for (std::size_t row = 0; row < judged.users.size(); ++row) {
      if (levels.of_user[judged.users[row].value] != level) continue;
      ++people;
      for (std::size_t column = 0; column < sums.size(); ++column) sums[column] += judged.at(row, column);
    }
    nlohmann::json metrics = nlohmann::json::object();
    for (std::size_t column = 0; column < sums.size() && people > 0; ++column)
      metrics[judged.names[column]] = sums[column] / static_cast<double>(people);
    json.push_back({{"level", levels.names[level]}, {"people", people}, {"metrics", std::move(metrics)}});
  }
  return json;
}

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

}  // namespace sotto
