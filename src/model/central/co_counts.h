// Counting what rows of a sparse matrix of ones have in common, in the two ways that pay: going through the
// rows of each column, and comparing bits where columns are long.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bit_kernels.h"

namespace sotto::model {

// Counts what one row has in common with each other row, touching only rows that have something.
class CommonCounts {
 public:
  explicit CommonCounts(std::size_t rows) : counts_(rows, 0) {}

  // `columns` is the row; rows_of(column) says who else has the column.
  template <class Columns, class RowsOf>
  void count(const Columns& columns, const RowsOf& rows_of) {
    for (const auto column : columns)
      for (const auto row : rows_of(column))
        if (counts_[row.value]++ == 0) touched_.push_back(row.value);
  }
  // Hands each (row, count) over, and forgets it.
  template <class Take>
  void drain(const Take& take) {
    for (const std::uint32_t row : touched_) {
      take(row, counts_[row]);
      counts_[row] = 0;
    }
    touched_.clear();
  }

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> touched_;
};

// The columns that many rows have, as bits: comparing all rows' bits costs less there than going through
// the column's rows for each of them.
class CommonColumns {
 public:
  template <class RowsOf>
  CommonColumns(std::size_t rows, std::size_t columns, const RowsOf& rows_of)
      : tiles_((rows + kernels::bit_rows - 1) / kernels::bit_rows), is_common_(columns, 0) {
    std::vector<std::uint32_t> common;
    for (std::uint32_t column = 0; column < columns; ++column)
      if (rows_of(column).size() >= std::max(fewest_rows, rows / rows_a_common)) common.push_back(column);
    words_ = (common.size() + 31) / 32;
    bits_.assign(tiles_ * words_ * kernels::bit_rows, 0);
    for (std::size_t n = 0; n < common.size(); ++n) {
      is_common_[common[n]] = 1;
      for (const auto row : rows_of(common[n])) bits_[at(row.value, n / 32)] |= std::uint32_t{1} << n % 32;
    }
  }

  [[nodiscard]] bool any() const { return words_ > 0; }
  [[nodiscard]] bool contains(std::uint32_t column) const { return is_common_[column] != 0; }
  // How many of these columns each row below `end` shares with `row`, added to `counts`, which has room for
  // whole tiles of rows.
  void count(std::size_t row, std::size_t end, std::vector<std::uint32_t>& own, std::uint32_t* counts) const {
    own.resize(words_);
    for (std::size_t w = 0; w < words_; ++w) own[w] = bits_[at(row, w)];
    const std::size_t tiles = std::min(tiles_, (end + kernels::bit_rows - 1) / kernels::bit_rows);
    kernels::add_common_ones(bits_.data(), tiles, own.data(), words_, counts);
  }

 private:
  static constexpr std::size_t rows_a_common = 16;  // a column of rows/16 or more is common: measured
  static constexpr std::size_t fewest_rows = 32;
  [[nodiscard]] std::size_t at(std::size_t row, std::size_t word) const {
    return (row / kernels::bit_rows * words_ + word) * kernels::bit_rows + row % kernels::bit_rows;
  }

  std::size_t tiles_;
  std::size_t words_ = 0;
  std::vector<std::uint8_t> is_common_;
  std::vector<std::uint32_t> bits_;
};

}  // namespace sotto::model
