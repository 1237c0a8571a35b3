#include "engine/terminal/table.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "base/assert.h"

namespace sotto::engine {

namespace {

constexpr std::size_t indent = 2;
constexpr std::size_t gap = 2;
constexpr std::size_t narrowest_text = 12;  // a column of text that gives way keeps so much

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, display_width(cell)), ' ');
  return align == Align::left ? cell + blanks : blanks + cell;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) longest = std::max(longest, display_width(word));
  return longest;
}

template <class Extents>
std::size_t total(const std::vector<std::size_t>& block, const Extents& extents) {
  std::size_t sum = indent + gap * (block.size() - 1);
  for (const std::size_t column : block) sum += extents[column].width;
  return sum;
}

// The widest that can gives way, a column at a time. False: that is not enough.
template <class Extents>
bool squeeze(const std::vector<std::size_t>& block, Extents& extents, std::size_t room) {
  while (total(block, extents) > room) {
    std::size_t widest = 0;
    for (const std::size_t column : block)
      if (extents[column].width > std::max(extents[column].least, widest)) widest = extents[column].width;
    if (widest == 0) return false;
    const auto is_widest = [&](std::size_t column) {
      return extents[column].width == widest && widest > extents[column].least;
    };
    --extents[*std::ranges::find_if(block, is_widest)].width;
  }
  return true;
}

}  // namespace

void Table::row(std::vector<std::string> cells, Tone tone) {
  row(std::move(cells), std::vector<Tone>(columns_.size(), tone));
}

void Table::row(std::vector<std::string> cells, std::vector<Tone> tones) {
  SOTTO_ASSERT(cells.size() == columns_.size() && tones.size() == columns_.size(),
               "a row has a cell for each column");
  for (std::size_t n = 0; n < tones.size(); ++n)
    if (tones[n] == Tone::plain) tones[n] = columns_[n].tone;
  rows_.push_back({std::move(cells), std::move(tones)});
}

std::vector<Table::Extent> Table::extents() const {
  std::vector<Extent> extents;
  for (std::size_t n = 0; n < columns_.size(); ++n) {
    std::size_t cells = 0;
    for (const Row& row : rows_) cells = std::max(cells, display_width(row.cells[n]));
    const std::size_t width = std::max(cells, display_width(columns_[n].title));
    const std::size_t least = columns_[n].whole ? width
                              : columns_[n].align == Align::left
                                  ? std::min(width, narrowest_text)
                                  : std::max(cells, longest_word(columns_[n].title));
    extents.push_back({width, least});
  }
  return extents;
}

std::vector<Table::Columns> Table::blocks(std::vector<Extent>& extents, std::size_t room) const {
  const std::vector<Extent> natural = extents;
  Columns all(columns_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (squeeze(all, extents, room)) return {all};
  extents = natural;
  Columns key;  // what says which row it is: the texts before the numbers, as far as they take half the room
  for (std::size_t n = 0; n < columns_.size() && (n == 0 || columns_[n].align == Align::left); ++n) {
    key.push_back(n);
    if (squeeze(key, extents, room / 2) || n == 0) continue;
    key.pop_back();
    break;
  }
  const std::size_t beside = room - std::min(room, total(key, extents) + gap);
  std::vector<Columns> blocks{key};
  for (std::size_t n = key.size(); n < columns_.size();) {
    Columns wider = blocks.back();
    do {  // a column without a title belongs to the one before it
      extents[n].width = columns_[n].align == Align::left
                             ? std::min(extents[n].width, std::max(extents[n].least, beside))
                             : extents[n].least;
      wider.push_back(n);
    } while (++n < columns_.size() && columns_[n].title.empty());
    const bool fits = total(wider, extents) <= room || blocks.back().size() == key.size();
    if (fits) {
      blocks.back() = wider;
    } else {
      Columns next = key;
      next.insert(next.end(), wider.begin() + static_cast<std::ptrdiff_t>(blocks.back().size()), wider.end());
      blocks.push_back(std::move(next));
    }
  }
  for (const Columns& block : blocks) squeeze(block, extents, room);
  return blocks;
}

std::string Table::lines(const Row& row, const Columns& block, const std::vector<Extent>& extents,
                         const Console& console) const {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (const std::size_t n : block) {
    cells.push_back(wrapped(row.cells[n], extents[n].width));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::size_t used = block.size();  // empty cells at the end leave no blanks behind
    const auto is_empty = [&](std::size_t at) { return line >= cells[at].size() || cells[at][line].empty(); };
    while (used > 1 && is_empty(used - 1)) --used;
    text.append(indent, ' ');
    for (std::size_t at = 0; at < used; ++at) {
      const std::size_t n = block[at];
      std::string cell = is_empty(at) ? "" : cells[at][line];
      if (at + 1 < used || columns_[n].align == Align::right)
        cell = padded(cell, extents[n].width, columns_[n].align);
      text += console.paint(row.tones[n], cell);
      if (at + 1 < used) text.append(gap, ' ');
    }
    text += "\n";
  }
  return text;
}

std::string Table::text(const Console& console, std::size_t room) const {
  std::vector<Extent> extents = this->extents();
  Row titles{{}, std::vector<Tone>(columns_.size(), Tone::dim)};
  for (const TableColumn& column : columns_) titles.cells.push_back(column.title);
  const bool titled =
      std::ranges::any_of(titles.cells, [](const std::string& title) { return !title.empty(); });
  std::string text;
  for (const Columns& block : blocks(extents, room)) {
    if (!text.empty()) text += "\n";
    if (titled) text += lines(titles, block, extents, console);
    for (const Row& row : rows_) text += lines(row, block, extents, console);
  }
  return text;
}

Table fact_table() { return Table({{"", Align::left, Tone::dim}, {"", Align::left, Tone::plain}}); }

}  // namespace sotto::engine
