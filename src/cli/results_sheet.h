// A sheet of results in the formats that people and programs read.
//
// Law: programs (TSV, JSON) get every digit, people a few.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/terminal/console.h"
#include "lab/table_export.h"

namespace sotto::cli {

// --format of a command that prints a sheet.
void add_sheet_format(CLI::App& app, std::string& format);

// How a terminal shows what is best and second best.
[[nodiscard]] Tone tone_of(Emphasis emphasis);

enum class SheetFormat : std::uint8_t { table, tsv, json, latex, markdown };
[[nodiscard]] Result<SheetFormat> parse_sheet_format(const std::string& text);

struct SheetCell {
  nlohmann::ordered_json value;  // for programs; null where there is none
  std::string text;              // for people
  Emphasis emphasis = Emphasis::none;
};
[[nodiscard]] SheetCell word_cell(const std::string& text);
[[nodiscard]] SheetCell count_cell(std::uint64_t count);
// A metric, with four digits for people; a count where it is one (IC).
[[nodiscard]] SheetCell value_cell(const std::string& metric, double value);

enum class Readers : std::uint8_t { all, programs, people };

struct SheetColumn {
  std::string title;
  bool is_number = false;
  Readers readers = Readers::all;
};

struct Sheet {
  std::vector<SheetColumn> columns;  // words first, then numbers
  std::vector<std::vector<SheetCell>> rows;
};

[[nodiscard]] std::string sheet_text(const Sheet& sheet, SheetFormat format, const Console& console);

}  // namespace sotto::cli
