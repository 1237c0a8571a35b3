#include "cli/reproduce_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/terminal/table.h"
#include "lab/reproduce/reproduce.h"

namespace sotto::cli {

namespace {

constexpr std::size_t most_wide_metrics = 2;  // more of them get a column each

bool any_cell(const PaperTable& table, std::optional<double> PaperCell::*value) {
  for (const PaperRow& row : table.rows)
    for (const PaperCell& cell : row.cells)
      if (cell.*value) return true;
  return false;
}

std::string print_text(const PaperCell& cell) { return cell.printed ? paper_number(*cell.printed) : "–"; }

Tone tone_of(const PaperRow& row) {
  if (row.extra) return Tone::dim;
  for (const PaperCell& cell : row.cells)
    if (cell.verdict == Verdict::below || cell.verdict == Verdict::above || cell.verdict == Verdict::failed)
      return Tone::warn;
  return Tone::plain;
}

Table wide_table(const PaperTable& table) {
  std::vector<TableColumn> columns{{table.row_title, Align::left}, {"×seeds", Align::left, Tone::dim}};
  for (const std::string& metric : table.metrics) {
    columns.push_back({metric, Align::right, Tone::dim});
    columns.push_back({"ours", Align::right});
    columns.push_back({"ratio", Align::right});
    columns.push_back({"verdict", Align::left});
  }
  Table text(std::move(columns));
  for (const PaperRow& row : table.rows) {
    std::vector<std::string> cells{row.label, row.setting};
    for (const PaperCell& cell : row.cells) {
      const std::optional<double> ratio = ratio_of(cell.printed, cell.ours);
      cells.insert(cells.end(), {print_text(cell), measured_text(cell),
                                 ratio ? fmt::format("{:.2f}", *ratio) : "", to_string(cell.verdict)});
    }
    text.row(std::move(cells), tone_of(row));
  }
  return text;
}

// "ours (print)" in one column.
Table narrow_table(const PaperTable& table) {
  std::vector<TableColumn> columns{{table.row_title, Align::left}, {"", Align::left, Tone::dim}};
  for (const std::string& metric : table.metrics) columns.push_back({metric, Align::right});
  Table text(std::move(columns));
  for (const PaperRow& row : table.rows) {
    std::vector<std::string> cells{row.label, row.setting};
    for (std::size_t n = 0; n < row.cells.size(); ++n) {
      const PaperCell& cell = row.cells[n];
      std::string ours = cell.ours ? paper_number(table, *cell.ours) : "–";
      if (table.ranged == n && cell.interval)
        ours += fmt::format(" ({:+.4f} to {:+.4f})", cell.interval->low, cell.interval->high);
      if (cell.standing != RankMark::plain) ours += cell.standing == RankMark::best ? "*" : "°";
      cells.push_back(cell.printed ? fmt::format("{} ({})", ours, paper_number(table, *cell.printed)) : ours);
    }
    text.row(std::move(cells), tone_of(row));
  }
  return text;
}

nlohmann::json number_json(std::optional<double> value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json cell_json(const PaperTable& table, const PaperRow& row, std::size_t n) {
  const PaperCell& cell = row.cells[n];
  nlohmann::json json{{"table", table.title},
                      {"row", row.label},
                      {"setting", row.setting},
                      {"metric", table.metrics[n]},
                      {"printed", number_json(cell.printed)},
                      {"ours", number_json(cell.ours)},
                      {"ratio", number_json(ratio_of(cell.printed, cell.ours))},
                      {"verdict", to_string(cell.verdict)},
                      {"extra", row.extra}};
  if (cell.standing != RankMark::plain)
    json["standing"] = cell.standing == RankMark::best ? "best" : "second";
  if (cell.interval) json["interval"] = {cell.interval->low, cell.interval->high};
  return json;
}

}  // namespace

std::string reproduction_text(const Reproduction& reproduction, const Console& console) {
  std::string text = fmt::format("{}\n", console.paint(Tone::strong, reproduction.target.title));
  for (const PaperTable& table : reproduction.tables) {
    if (!any_cell(table, &PaperCell::ours)) continue;
    const bool narrow = table.metrics.size() > most_wide_metrics;
    const bool beside = narrow && any_cell(table, &PaperCell::printed);
    text +=
        fmt::format("\n{}{}\n", console.paint(Tone::accent, table.title), beside ? "   ours (print)" : "");
    text += (narrow ? narrow_table(table) : wide_table(table)).text(console);
    for (const std::string& note : table.notes) text += fmt::format("  {}\n", note);
  }
  for (const std::string& note : reproduction.notes) text += fmt::format("\n{}\n", note);
  if (const std::string verdicts = verdicts_text(reproduction); !verdicts.empty())
    text += fmt::format("\n{} {}\n", console.paint(Tone::strong, "Verdicts:"), verdicts);
  for (const Finding& finding : reproduction.findings) {
    const bool holds = finding.outcome == ClaimOutcome::holds;
    text += fmt::format("\n{} {}\n", finding.claim,
                        console.paint(holds ? Tone::good : Tone::warn, to_string(finding.outcome)));
    for (const std::string& line : finding.evidence) text += fmt::format("  {}\n", line);
  }
  if (!reproduction.absent.empty()) text += "\nNot here:\n";
  for (const std::string& line : reproduction.absent) text += fmt::format("  {}\n", line);
  return text;
}

nlohmann::json reproduction_json(const Reproduction& reproduction) {
  nlohmann::json json{{"target", reproduction.target.name},  {"mode", to_string(reproduction.effort)},
                      {"computed", reproduction.computed},   {"cells", nlohmann::json::array()},
                      {"findings", nlohmann::json::array()}, {"notes", reproduction.notes},
                      {"absent", reproduction.absent}};
  for (const PaperTable& table : reproduction.tables) {
    for (const PaperRow& row : table.rows)
      for (std::size_t n = 0; n < row.cells.size(); ++n) json["cells"].push_back(cell_json(table, row, n));
    for (const std::string& note : table.notes) json["notes"].push_back(table.title + ": " + note);
  }
  for (const Finding& finding : reproduction.findings)
    json["findings"].push_back(
        {{"claim", finding.claim}, {"outcome", to_string(finding.outcome)}, {"evidence", finding.evidence}});
  const VerdictCounts counts = count_verdicts(reproduction);
  for (std::size_t n = 0; n < counts.size(); ++n)
    json["verdicts"][to_string(static_cast<Verdict>(n))] = counts[n];
  return json;
}

Sheet reproduction_cells(const Reproduction& reproduction) {
  Sheet sheet;
  for (const char* title : {"table", "row", "setting", "metric", "verdict"})
    sheet.columns.push_back({.title = title});
  for (const char* title : {"printed", "ours", "low", "high", "ratio"})
    sheet.columns.push_back({.title = title, .is_number = true});
  const auto shown = [](std::optional<double> value) {
    return value ? SheetCell{*value, paper_number(*value)} : SheetCell{nullptr, ""};
  };
  for (const PaperTable& table : reproduction.tables)
    for (const PaperRow& row : table.rows)
      for (std::size_t n = 0; n < row.cells.size(); ++n) {
        const PaperCell& cell = row.cells[n];
        std::optional<double> low, high;
        if (cell.interval) low = cell.interval->low, high = cell.interval->high;
        sheet.rows.push_back({word_cell(table.title), word_cell(row.label), word_cell(row.setting),
                              word_cell(table.metrics[n]), word_cell(to_string(cell.verdict)),
                              shown(cell.printed), shown(cell.ours), shown(low), shown(high),
                              shown(ratio_of(cell.printed, cell.ours))});
      }
  return sheet;
}

}  // namespace sotto::cli
