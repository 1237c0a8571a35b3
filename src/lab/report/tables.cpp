// The tables of a report (report.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/terminal/console.h"
#include "lab/comparison.h"
#include "lab/report/markup.h"
#include "lab/report/report.h"
#include "metrics/metric_name.h"

namespace sotto::lab {

namespace {

std::string value_text(const char* stem, double value) {
  if (!std::isfinite(value)) return "n/a";
  if (metrics::facts_of(stem)->is_count || value >= 1000.0) return short_number(std::round(value));
  return value >= 10.0 ? fmt::format("{:.2f}", value) : fmt::format("{:.5f}", value);
}

void mark_best(PageTable& table, std::size_t column, bool less_is_better) {
  if (table.rows.size() < 2) return;
  std::vector<double> values;
  for (const auto& row : table.rows) values.push_back(row[column].value.value_or(NAN));
  const std::vector<RankMark> standings = rank_marks_of(values, less_is_better);
  for (std::size_t row = 0; row < table.rows.size(); ++row) table.rows[row][column].standing = standings[row];
}

PageTable metrics_table(const DatasetRuns& runs, const std::vector<const RunGroup*>& groups) {
  PageTable table;
  table.columns.push_back({"model"});
  const std::vector<const char*> metric_columns = runs.metric_columns();
  for (const char* stem : metric_columns)
    table.columns.push_back({runs.metric(stem), true, std::string(metrics::facts_of(stem)->about)});
  for (const RunGroup* group : groups) {
    auto& row = table.rows.emplace_back();
    row.push_back({.text = group->name()});
    for (const char* stem : metric_columns) {
      const std::string metric = runs.metric(stem);
      const double mean = group->mean(metric);
      PageCell& cell = row.emplace_back(PageCell{.text = value_text(stem, mean)});
      if (std::isfinite(mean)) cell.value = mean;
      if (const auto interval = group->interval(metric)) {
        cell.detail = fmt::format("± {}", value_text(stem, (interval->high - interval->low) / 2.0));
        cell.hint =
            fmt::format("from {} to {}", value_text(stem, interval->low), value_text(stem, interval->high));
      }
    }
  }
  for (std::size_t column = 0; column < metric_columns.size(); ++column)
    mark_best(table, column + 1, metrics::facts_of(metric_columns[column])->less_is_better);
  return table;
}

// "a" … "z", "aa" …
std::string letter_of(std::size_t index) {
  return (index >= 26 ? letter_of(index / 26 - 1) : "") + static_cast<char>('a' + index % 26);
}

// For each row the letters of the rows that it beats in `metric`, by first seeds that judged the same users.
std::vector<std::string> beaten(const std::vector<const RunGroup*>& groups, const std::string& metric) {
  std::vector<TestedRow> rows;
  for (const RunGroup* group : groups) {
    rows.push_back({group->first().detail.per_user.column(metric), group->first().judged});
    if (rows.back().values.size() < 2) rows.back().values.clear();  // nothing to test
  }
  const CompareOptions options;
  SerialExecutor serial;
  const auto losers = beaten_rows(test_pairs(rows, metric, options, serial), rows.size(), options, false);
  std::vector<std::string> letters(groups.size());
  for (std::size_t row = 0; row < groups.size(); ++row)
    for (const std::size_t loser : losers[row])
      letters[row] += (letters[row].empty() ? "" : " ") + letter_of(loser);
  return letters;
}

}  // namespace

PageTable best_table(const DatasetRuns& runs) {
  const std::vector<const RunGroup*> groups = runs.best_groups();
  PageTable table = metrics_table(runs, groups);
  const std::string tested = runs.metric("nDCG");
  const std::vector<std::string> letters = beaten(groups, tested);
  table.columns.push_back({"beats", false, fmt::format("rows with a significantly lower {}", tested)});
  table.columns.insert(table.columns.begin(), {"", false, "the row's letter"});
  for (std::size_t row = 0; row < groups.size(); ++row) {
    table.rows[row].push_back({.text = letters[row]});
    table.rows[row].insert(table.rows[row].begin(), {.text = letter_of(row)});
  }
  table.caption = fmt::format(
      "The best of each configuration by {}: means, below them the reach of their 95% intervals (over seeds, "
      "or over users for one seed or seeds that agree). Bold: best; underlined: second. “beats”: the rows "
      "whose {} is lower with significance (paired t-test over users, of each row its first seed, Holm over "
      "all pairs that judged the same users, 5%).",
      runs.metric("F1means"), tested);
  return table;
}

PageTable all_table(const DatasetRuns& runs) {
  std::vector<const RunGroup*> groups;
  for (const RunGroup& group : runs.groups) groups.push_back(&group);
  PageTable table = metrics_table(runs, groups);
  table.caption = "Every setting; means over seeds. A click on a title sorts.";
  table.columns.insert(table.columns.begin() + 1, {"seeds", true});
  for (std::size_t row = 0; row < groups.size(); ++row) {
    const auto seeds = static_cast<double>(groups[row]->runs.size());
    table.rows[row].insert(table.rows[row].begin() + 1, {.text = short_number(seeds), .value = seeds});
  }
  return table;
}

PageTable cost_table(const DatasetRuns& runs) {
  PageTable table;
  table.caption = "What training took; of several seeds the first.";
  table.columns = {{"model"},
                   {"epochs", true},
                   {"rounds", true},
                   {"exchanges", true, "visits of devices"},
                   {"triples", true},
                   {"vectors", true, "total communication cost by the papers' formula"},
                   {"up", true, "bytes from the devices"},
                   {"down", true, "bytes to the devices"}};
  const auto count = [](std::uint64_t value) {
    return PageCell{.text = human_count(value), .value = static_cast<double>(value)};
  };
  const auto bytes = [](std::uint64_t value) {
    return PageCell{.text = human_bytes(static_cast<double>(value)), .value = static_cast<double>(value)};
  };
  for (const RunGroup& group : runs.groups) {
    const CellResult& result = group.first().result;
    if (result.totals.rounds == 0) continue;
    const double vectors = result.vectors.value_or(NAN);
    table.rows.push_back(
        {{.text = group.name()},
         count(result.epochs),
         count(result.totals.rounds),
         count(result.totals.exchanges),
         count(result.totals.triples),
         {.text = std::isfinite(vectors) ? human_number(vectors) : "n/a", .value = result.vectors},
         bytes(result.totals.bytes_up),
         bytes(result.totals.bytes_down)});
  }
  return table;
}

}  // namespace sotto::lab
