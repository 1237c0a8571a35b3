#include "lab/reproduce/printed_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "lab/reproduce/paper_files.h"

namespace sotto::lab {

namespace {

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t to = std::min(line.find('\t', from), line.size());
    cells.emplace_back(line.substr(from, to - from));
    from = to + 1;
  }
  return cells;
}

}  // namespace

Status PrintedTable::take_titles(const std::vector<std::string>& titles) {
  for (const std::string& title : titles) {
    const bool key = title.ends_with(':');
    if (key && !columns_.empty())
      return fail(Code::bad_input, fmt::format("the key '{}' stands behind a column of numbers", title));
    key ? void(++keys_) : columns_.push_back(title);
  }
  if (keys_ == 0 || columns_.empty())
    return fail(Code::bad_input, "a title that ends in ':' and one that does not are needed");
  return Done{};
}

Status PrintedTable::take_row(const std::vector<std::string>& cells) {
  if (cells.size() != keys_ + columns_.size())
    return fail(Code::bad_input,
                fmt::format("{} cells where {} are needed", cells.size(), keys_ + columns_.size()));
  Row row;
  for (std::size_t n = 0; n < cells.size(); ++n) {
    const bool none = cells[n] == "-";
    if (n < keys_) {
      row.keys.push_back(none ? "" : cells[n]);
      continue;
    }
    double value = 0.0;
    const char* const end = cells[n].data() + cells[n].size();
    const auto read = std::from_chars(cells[n].data(), end, value);
    if (!none && (read.ec != std::errc() || read.ptr != end))
      return fail(Code::bad_input, fmt::format("'{}' is no number: write - where there is none", cells[n]));
    row.values.push_back(none ? std::nullopt : std::optional(value));
  }
  if (find(std::vector<std::string_view>(row.keys.begin(), row.keys.end())) != nullptr)
    return fail(Code::bad_input, fmt::format("the row '{}' stands here twice", fmt::join(row.keys, ", ")));
  rows_.push_back(std::move(row));
  return Done{};
}

Result<PrintedTable> PrintedTable::read(std::string_view text, const std::string& name) {
  PrintedTable table;
  std::size_t number = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string_view line = text.substr(from, to - from);
    from = to + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const Status taken =
        table.keys_ == 0 ? table.take_titles(cells_of(line)) : table.take_row(cells_of(line));
    if (!taken.ok()) return chained(taken.error(), fmt::format("{}, line {}", name, number));
  }
  if (table.rows_.empty()) return fail(Code::bad_input, name + ": a table without rows");
  return table;
}

const PrintedTable::Row* PrintedTable::find(std::span<const std::string_view> keys) const {
  const auto found =
      std::ranges::find_if(rows_, [&](const Row& row) { return std::ranges::equal(row.keys, keys); });
  return found == rows_.end() ? nullptr : &*found;
}

std::optional<double> PrintedTable::value(std::initializer_list<std::string_view> keys,
                                          std::string_view column) const {
  const Row* row = find({keys.begin(), keys.size()});
  const auto found = std::ranges::find(columns_, column);
  if (row == nullptr || found == columns_.end()) return std::nullopt;
  return row->values[static_cast<std::size_t>(found - columns_.begin())];
}

const PrintedTable& printed(std::string_view path) {
  static const auto tables = [] {
    std::map<std::string, PrintedTable, std::less<>> all;
    for (const PaperFile& file : paper_files()) {
      if (!file.path.ends_with(".tsv")) continue;
      auto read = PrintedTable::read(file.text, std::string(file.path));
      SOTTO_ASSERT(read.ok(), read.error().message.c_str());
      all.emplace(file.path, std::move(*read));
    }
    return all;
  }();
  const auto found = tables.find("papers/" + std::string(path));
  SOTTO_ASSERT(found != tables.end(), "only tables that are there are asked for");
  return found->second;
}

}  // namespace sotto::lab
