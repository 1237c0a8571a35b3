// Table: rows of text in columns that line up.
//
// Laws: on a terminal no row is wider than its lines, and nothing is lost for it; elsewhere a row is one
// line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/terminal/console.h"

namespace sotto::engine {

enum class Align : std::uint8_t { left, right };

struct TableColumn {
  std::string title;
  Align align = Align::left;
  Tone tone = Tone::plain;
  bool whole = false;  // what one has to type is never broken
};

class Table {
 public:
  // With no title at all there is no header line.
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns. A row with a tone is painted whole.
  void row(std::vector<std::string> cells, Tone tone = Tone::plain);
  void row(std::vector<std::string> cells, std::vector<Tone> tones);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // Indented by two. Where it is wider than the console, titles and cells of text go over several lines;
  // where the numbers alone are too wide, the columns come in several blocks, each with the first ones.
  [[nodiscard]] std::string text(const Console& console) const { return text(console, console.width()); }
  [[nodiscard]] std::string text(const Console& console, std::size_t room) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<Tone> tones;
  };
  struct Extent {
    std::size_t width, least;
  };
  using Columns = std::vector<std::size_t>;
  [[nodiscard]] std::vector<Extent> extents() const;
  [[nodiscard]] std::vector<Columns> blocks(std::vector<Extent>& extents, std::size_t room) const;
  [[nodiscard]] std::string lines(const Row& row, const Columns& block, const std::vector<Extent>& extents,
                                  const Console& console) const;

  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
};

// "name  value" lines, the names dim.
[[nodiscard]] Table fact_table();

}  // namespace sotto::engine
