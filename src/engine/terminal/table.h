// Table: rows of text in columns that line up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/terminal/console.h"

namespace sotto {

enum class Align : std::uint8_t { left, right };

struct TableColumn {
  std::string title;
  Align align = Align::left;
  Tone tone = Tone::plain;
  bool whole = false;  // what one has to type is never cut
};

class Table {
 public:
  // With no title at all there is no header line.
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns. A row with a tone is painted whole.
  void row(std::vector<std::string> cells, Tone tone = Tone::plain);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // Indented by two; where it is wider than the console, the widest left-aligned column gives way, unless
  // it has to stay whole.
  [[nodiscard]] std::string text(const Console& console) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Tone tone = Tone::plain;
  };
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t room) const;
  [[nodiscard]] std::string line(const Row& row, const std::vector<std::size_t>& widths,
                                 const Console& console, bool header) const;

  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
};

// "name  value" lines, the names dim.
[[nodiscard]] Table fact_table();

}  // namespace sotto
