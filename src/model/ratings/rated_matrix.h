// Ratings in compressed sparse rows: of each row (a user, or transposed an item) what was rated and how.
//
// Laws: a row's entries ascend by column, each column once; transposed twice it is the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/histories.h"

namespace sotto::model {

struct Rated {
  std::uint32_t column = 0;
  float value = 0.0f;
  bool operator==(const Rated&) const = default;
};

// Mean of a row's ratings.
[[nodiscard]] inline double mean_of(std::span<const Rated> row, double otherwise) {
  double sum = 0.0;
  for (const Rated& entry : row) sum += static_cast<double>(entry.value);
  return row.empty() ? otherwise : sum / static_cast<double>(row.size());
}

class RatedMatrix {
 public:
  // A row a user; `ratings` are in the order of histories.items(), which are below `columns`.
  RatedMatrix(const Histories& histories, std::span<const float> ratings, std::size_t columns);

  [[nodiscard]] std::size_t rows() const { return ends_.size() - 1; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t ratings() const { return entries_.size(); }
  [[nodiscard]] std::span<const Rated> of(std::size_t row) const {
    return std::span(entries_).subspan(ends_[row], ends_[row + 1] - ends_[row]);
  }
  [[nodiscard]] RatedMatrix transposed() const;
  // Mean of all ratings; 0 where there are none.
  [[nodiscard]] double mean() const;

  // A change of every value: to(row, entry).
  template <class To>
  void change(const To& to) {
    for (std::size_t row = 0; row < rows(); ++row)
      for (std::uint64_t n = ends_[row]; n < ends_[row + 1]; ++n) entries_[n].value = to(row, entries_[n]);
  }

 private:
  RatedMatrix(std::size_t rows, std::size_t columns) : columns_(columns), ends_(rows + 1, 0) {}

  std::size_t columns_;
  std::vector<std::uint64_t> ends_;  // ends_[0] is 0
  std::vector<Rated> entries_;
};

}  // namespace sotto::model
