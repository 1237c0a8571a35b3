#include "cli/results_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/values.h"
#include "engine/terminal/table.h"
#include "metrics/metric_name.h"

namespace sotto::cli {

namespace {

constexpr std::array format_names{"table", "tsv", "json", "latex", "markdown"};  // of SheetFormat

// Which columns a format shows.
std::vector<std::size_t> shown_columns(const Sheet& sheet, SheetFormat format) {
  const Readers spared =
      format == SheetFormat::tsv || format == SheetFormat::json ? Readers::people : Readers::programs;
  std::vector<std::size_t> columns;
  for (std::size_t n = 0; n < sheet.columns.size(); ++n)
    if (sheet.columns[n].readers != spared) columns.push_back(n);
  return columns;
}

std::string exact(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string as_json(const Sheet& sheet, const std::vector<std::size_t>& shown) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& cells : sheet.rows) {
    nlohmann::ordered_json row = nlohmann::ordered_json::object();
    for (const std::size_t n : shown) row[sheet.columns[n].title] = cells[n].value;
    rows.push_back(std::move(row));
  }
  return rows.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string as_table(const Sheet& sheet, const std::vector<std::size_t>& shown, const Console& console) {
  std::vector<TableColumn> columns;
  for (const std::size_t n : shown)
    columns.push_back({sheet.columns[n].title, sheet.columns[n].is_number ? Align::right : Align::left});
  Table table(std::move(columns));
  for (const auto& cells : sheet.rows) {
    std::vector<std::string> row;
    std::vector<Tone> tones;
    for (const std::size_t n : shown) {
      row.push_back(cells[n].text);
      tones.push_back(cli::tone_of(cells[n].emphasis));
    }
    table.row(std::move(row), std::move(tones));
  }
  return table.text(console);
}

ExportTable exported(const Sheet& sheet, const std::vector<std::size_t>& shown, bool for_programs) {
  ExportTable table;
  table.text_columns = 0;
  for (const std::size_t n : shown) {
    table.header.push_back(sheet.columns[n].title);
    if (!sheet.columns[n].is_number) ++table.text_columns;
  }
  for (const auto& cells : sheet.rows) {
    auto& row = table.rows.emplace_back();
    for (const std::size_t n : shown)
      row.push_back({for_programs ? exact(cells[n].value) : cells[n].text, cells[n].emphasis});
  }
  return table;
}

}  // namespace

Tone tone_of(Emphasis emphasis) {
  return emphasis == Emphasis::best     ? Tone::strong
         : emphasis == Emphasis::second ? Tone::accent
                                        : Tone::plain;
}

void add_sheet_format(CLI::App& app, std::string& format) {
  values(app.add_option("--format", format, "table, tsv, json, latex or markdown"),
         {format_names.begin(), format_names.end()})
      ->type_name("NAME")
      ->default_str("table");
}

Result<SheetFormat> parse_sheet_format(const std::string& text) {
  for (std::size_t n = 0; n < format_names.size(); ++n)
    if (text == format_names[n]) return static_cast<SheetFormat>(n);
  return fail(Code::usage,
              fmt::format("unknown format '{}': choose table, tsv, json, latex or markdown", text));
}

SheetCell word_cell(const std::string& text) { return {text, text}; }

SheetCell count_cell(std::uint64_t count) { return {count, human_count(count)}; }

SheetCell value_cell(const std::string& metric, double value) {
  if (std::isnan(value)) return {nullptr, "n/a"};
  return {value, metric_text(metric, value)};
}

std::string sheet_text(const Sheet& sheet, SheetFormat format, const Console& console) {
  const std::vector<std::size_t> shown = shown_columns(sheet, format);
  switch (format) {
    case SheetFormat::json:
      return as_json(sheet, shown);
    case SheetFormat::table:
      return as_table(sheet, shown, console);
    case SheetFormat::tsv:
      return to_tsv(exported(sheet, shown, true));
    case SheetFormat::latex:
      return to_latex(exported(sheet, shown, false));
    case SheetFormat::markdown:
      return to_markdown(exported(sheet, shown, false));
  }
  return "";
}

}  // namespace sotto::cli
