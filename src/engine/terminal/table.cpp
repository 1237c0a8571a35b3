#include "engine/terminal/table.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"

namespace sotto {

namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 12;  // a column that gives way keeps so much

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, display_width(cell)), ' ');
  return align == Align::left ? cell + blanks : blanks + cell;
}

}  // namespace

void Table::row(std::vector<std::string> cells, Tone tone) {
  SOTTO_ASSERT(cells.size() == columns_.size(), "a row has a cell for each column");
  rows_.push_back({std::move(cells), tone});
}

std::vector<std::size_t> Table::widths(std::size_t room) const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    widths.push_back(display_width(columns_[column].title));
    for (const Row& row : rows_) widths.back() = std::max(widths.back(), display_width(row.cells[column]));
  }
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), indent + gap * (widths.size() - 1));
  };
  const std::vector<std::size_t> whole = widths;
  while (total() > room) {
    std::size_t widest = columns_.size();
    for (std::size_t column = 0; column < columns_.size(); ++column)
      if (columns_[column].align == Align::left && !columns_[column].whole && widths[column] > narrowest &&
          (widest == columns_.size() || widths[column] > widths[widest]))
        widest = column;
    if (widest == columns_.size()) return whole;  // too wide even when cut: then nothing is lost for it
    --widths[widest];
  }
  return widths;
}

std::string Table::line(const Row& row, const std::vector<std::size_t>& widths, const Console& console,
                        bool header) const {
  std::string line(indent, ' ');
  std::size_t used = columns_.size();  // empty cells at the end leave no blanks behind
  while (used > 1 && row.cells[used - 1].empty()) --used;
  for (std::size_t column = 0; column < used; ++column) {
    std::string cell = shortened(row.cells[column], widths[column]);
    const bool last = column + 1 == used;
    if (!last || columns_[column].align == Align::right)
      cell = padded(cell, widths[column], columns_[column].align);
    const Tone tone = header ? Tone::dim : row.tone != Tone::plain ? row.tone : columns_[column].tone;
    line += console.paint(tone, cell);
    if (!last) line.append(gap, ' ');
  }
  return line + "\n";
}

std::string Table::text(const Console& console) const {
  const std::vector<std::size_t> widths = this->widths(console.width());
  std::string text;
  Row titles;
  for (const TableColumn& column : columns_) titles.cells.push_back(column.title);
  const bool titled =
      std::any_of(columns_.begin(), columns_.end(), [](const TableColumn& c) { return !c.title.empty(); });
  if (titled) text += line(titles, widths, console, true);
  for (const Row& row : rows_) text += line(row, widths, console, false);
  return text;
}

Table fact_table() { return Table({{"", Align::left, Tone::dim}, {"", Align::left, Tone::plain}}); }

}  // namespace sotto
