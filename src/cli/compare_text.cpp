#include "cli/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/terminal/table.h"
#include "lab/table_export.h"
#include "metrics/metric_name.h"

namespace sotto::cli {

namespace {

constexpr std::array emphases{Emphasis::none, Emphasis::best, Emphasis::second};  // of Standing

// Five places as the papers print; counts as counts.
std::string shown(const std::string& metric, double value) {
  return metric_text(metric, value, std::fabs(value) < 10.0 ? 5 : 2);
}

std::string shown(const std::string& metric, const Interval& interval) {
  return fmt::format("[{}, {}]", shown(metric, interval.low), shown(metric, interval.high));
}

std::string shown_p(double p) { return p < 0.0001 ? fmt::format("{:.1e}", p) : fmt::format("{:.4f}", p); }

std::string explanation(const Comparison& c) {
  return fmt::format(
      "{} users. Letters: the runs that a run beats ({}, Holm over all pairs of a metric, alpha {}).",
      human_count(c.users), c.test == PairedTest::t ? "paired t-test" : "Wilcoxon signed-rank test", c.alpha);
}

bool has_letters(const Comparison& c, std::size_t column) {
  return std::any_of(c.rows.begin(), c.rows.end(),
                     [&](const auto& row) { return !row.cells[column].beats.empty(); });
}

bool has_intervals(const Comparison& c, std::size_t column) {
  return std::any_of(c.rows.begin(), c.rows.end(),
                     [&](const auto& row) { return row.cells[column].interval; });
}

std::string terminal_table(const Comparison& c, const Console& console) {
  std::vector<TableColumn> columns{{"", Align::left, Tone::dim}, {"run", Align::left}};
  for (std::size_t n = 0; n < c.metrics.size(); ++n) {
    columns.push_back({c.metrics[n], Align::right});
    if (has_letters(c, n)) columns.push_back({"", Align::left, Tone::dim});
    if (has_intervals(c, n)) columns.push_back({"", Align::left, Tone::dim});
  }
  Table table(std::move(columns));
  for (const ComparedRow& row : c.rows) {
    std::vector<std::string> cells{row.letter, row.label};
    std::vector<Tone> tones(2);
    for (std::size_t n = 0; n < c.metrics.size(); ++n) {
      const ComparedCell& cell = row.cells[n];
      cells.push_back(shown(c.metrics[n], cell.value));
      tones.push_back(tone_of(emphases[static_cast<std::size_t>(cell.standing)]));
      if (has_letters(c, n)) cells.push_back(cell.beats);
      if (has_intervals(c, n)) cells.push_back(cell.interval ? shown(c.metrics[n], *cell.interval) : "");
      tones.resize(cells.size());
    }
    table.row(std::move(cells), std::move(tones));
  }
  return table.text(console);
}

std::string terminal_pairs(const Comparison& c, const Console& console) {
  Table table({{"metric"},
               {"", Align::left, Tone::dim},
               {"difference", Align::right},
               {"interval"},
               {"p", Align::right},
               {"Holm", Align::right},
               {"d_z", Align::right},
               {"r_rb", Align::right}});
  for (const ComparedPair& pair : c.pairs)
    table.row({pair.metric, fmt::format("{} − {}", c.rows[pair.first].letter, c.rows[pair.second].letter),
               fmt::format("{:+.5f}", pair.difference), shown(pair.metric, pair.interval), shown_p(pair.p),
               shown_p(pair.adjusted_p), fmt::format("{:.3f}", pair.effect.cohen_dz),
               fmt::format("{:.3f}", pair.effect.rank_biserial)});
  return table.text(console);
}

// For a paper: rounded, marked, letters raised.
ExportTable paper_table(const Comparison& c) {
  ExportTable table{.header = {"", "run"}, .rows = {}, .text_columns = 2};
  for (const std::string& metric : c.metrics) table.header.push_back(metric);
  for (const ComparedRow& row : c.rows) {
    auto& cells = table.rows.emplace_back();
    cells.push_back({row.letter});
    cells.push_back({row.label});
    for (std::size_t n = 0; n < c.metrics.size(); ++n) {
      const ComparedCell& cell = row.cells[n];
      std::string text = shown(c.metrics[n], cell.value);
      if (cell.interval) text += " " + shown(c.metrics[n], *cell.interval);
      cells.push_back({text, emphases[static_cast<std::size_t>(cell.standing)], cell.beats});
    }
  }
  return table;
}

ExportTable paper_pairs(const Comparison& c) {
  ExportTable table{
      .header = {"metric", "first", "second", "difference", "interval", "p", "Holm", "d_z", "r_rb"},
      .rows = {},
      .text_columns = 3};
  for (const ComparedPair& pair : c.pairs)
    table.rows.push_back({{pair.metric},
                          {c.rows[pair.first].label},
                          {c.rows[pair.second].label},
                          {fmt::format("{:+.5f}", pair.difference)},
                          {shown(pair.metric, pair.interval)},
                          {shown_p(pair.p)},
                          {shown_p(pair.adjusted_p)},
                          {fmt::format("{:.3f}", pair.effect.cohen_dz)},
                          {fmt::format("{:.3f}", pair.effect.rank_biserial)}});
  return table;
}

// For programs: every number as it is, each in a column of its own.
ExportTable data_table(const Comparison& c) {
  ExportTable table{.header = {"letter", "label", "run"}, .rows = {}, .text_columns = 3};
  for (std::size_t n = 0; n < c.metrics.size(); ++n) {
    table.header.push_back(c.metrics[n]);
    table.header.push_back(c.metrics[n] + " beats");
    if (!has_intervals(c, n)) continue;
    table.header.push_back(c.metrics[n] + " low");
    table.header.push_back(c.metrics[n] + " high");
  }
  for (const ComparedRow& row : c.rows) {
    auto& cells = table.rows.emplace_back();
    cells.push_back({row.letter});
    cells.push_back({row.label});
    cells.push_back({row.source});
    for (std::size_t n = 0; n < c.metrics.size(); ++n) {
      cells.push_back({fmt::format("{}", row.cells[n].value)});
      cells.push_back({row.cells[n].beats});
      if (!has_intervals(c, n)) continue;
      cells.push_back({fmt::format("{}", row.cells[n].interval->low)});
      cells.push_back({fmt::format("{}", row.cells[n].interval->high)});
    }
  }
  return table;
}

ExportTable data_pairs(const Comparison& c) {
  ExportTable table{.header = {"metric", "first", "second", "difference", "low", "high", "p", "adjusted p",
                               "cohen d_z", "rank biserial"},
                    .rows = {},
                    .text_columns = 3};
  for (const ComparedPair& pair : c.pairs) {
    auto& cells = table.rows.emplace_back();
    for (const std::string& text : {pair.metric, c.rows[pair.first].letter, c.rows[pair.second].letter})
      cells.push_back({text});
    for (const double value : {pair.difference, pair.interval.low, pair.interval.high, pair.p,
                               pair.adjusted_p, pair.effect.cohen_dz, pair.effect.rank_biserial})
      cells.push_back({fmt::format("{}", value)});
  }
  return table;
}

nlohmann::json as_json(const Interval& interval) {
  return nlohmann::json::array({interval.low, interval.high});
}

}  // namespace

std::string comparison_text(const Comparison& comparison, SheetFormat format, const Console& console) {
  const bool pairs = !comparison.pairs.empty();
  switch (format) {
    case SheetFormat::tsv:
      return to_tsv(data_table(comparison)) + (pairs ? "\n" + to_tsv(data_pairs(comparison)) : "");
    case SheetFormat::latex:
      return fmt::format("% {}\n{}", explanation(comparison), to_latex(paper_table(comparison))) +
             (pairs ? "\n" + to_latex(paper_pairs(comparison)) : "");
    case SheetFormat::markdown:
      return to_markdown(paper_table(comparison)) +
             (pairs ? "\n" + to_markdown(paper_pairs(comparison)) : "") + "\n" + explanation(comparison) +
             "\n";
    case SheetFormat::table:
    case SheetFormat::json:
      break;
  }
  return terminal_table(comparison, console) + (pairs ? "\n" + terminal_pairs(comparison, console) : "") +
         "\n" + fitted(explanation(comparison) + "\n", console.width());
}

nlohmann::json comparison_json(const Comparison& comparison) {
  nlohmann::json rows = nlohmann::json::array(), pairs = nlohmann::json::array();
  constexpr std::array places{"", "best", "second"};
  for (const ComparedRow& row : comparison.rows) {
    nlohmann::json cells = nlohmann::json::object();
    for (std::size_t n = 0; n < comparison.metrics.size(); ++n) {
      const ComparedCell& cell = row.cells[n];
      nlohmann::json& json = cells[comparison.metrics[n]] = {{"value", cell.value}, {"beats", cell.beats}};
      if (cell.standing != RankMark::plain) json["place"] = places[static_cast<std::size_t>(cell.standing)];
      if (cell.interval) json["interval"] = as_json(*cell.interval);
    }
    rows.push_back({{"letter", row.letter}, {"label", row.label}, {"run", row.source}, {"metrics", cells}});
  }
  for (const ComparedPair& pair : comparison.pairs)
    pairs.push_back({{"metric", pair.metric},
                     {"first", comparison.rows[pair.first].letter},
                     {"second", comparison.rows[pair.second].letter},
                     {"difference", pair.difference},
                     {"interval", as_json(pair.interval)},
                     {"p", pair.p},
                     {"adjusted_p", pair.adjusted_p},
                     {"cohen_dz", pair.effect.cohen_dz},
                     {"rank_biserial", pair.effect.rank_biserial}});
  nlohmann::json json{{"users", comparison.users},     {"test", to_string(comparison.test)},
                      {"alpha", comparison.alpha},     {"correction", "holm"},
                      {"metrics", comparison.metrics}, {"runs", rows}};
  if (!comparison.pairs.empty()) json["pairs"] = pairs;
  return json;
}

}  // namespace sotto::cli
