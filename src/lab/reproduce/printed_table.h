// PrintedTable: what a paper prints, a TSV file of papers/.
//
// Laws: columns whose titles end in ':' are keys and come first, the others are numbers; "-" is a number that
// is lost in the copies at hand or was never printed, and an empty key; no two rows have the same keys. What
// is wrong names file and line. Labels are those that the studies use, so that print and measurement meet by
// name.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto::lab {

class PrintedTable {
 public:
  struct Row {
    std::vector<std::string> keys;
    std::vector<std::optional<double>> values;  // by columns()
  };

  [[nodiscard]] static Result<PrintedTable> read(std::string_view text, const std::string& name);

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  // Titles of the numbers.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  // None where there is no such row or column, or no number in it.
  [[nodiscard]] std::optional<double> value(std::initializer_list<std::string_view> keys,
                                            std::string_view column) const;

 private:
  [[nodiscard]] Status take_titles(const std::vector<std::string>& titles);
  [[nodiscard]] Status take_row(const std::vector<std::string>& cells);
  [[nodiscard]] const Row* find(std::span<const std::string_view> keys) const;

  std::size_t keys_ = 0;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

// The table papers/<path>.
[[nodiscard]] const PrintedTable& printed(std::string_view path);

}  // namespace sotto::lab
