#include "model/ratings/rated_matrix.h"

namespace sotto::model {

RatedMatrix::RatedMatrix(const Histories& histories, std::span<const float> ratings, std::size_t columns)
    : columns_(columns), ends_(histories.offsets().begin(), histories.offsets().end()) {
  SOTTO_ASSERT(ratings.size() == histories.interactions(), "one rating an interaction");
  entries_.reserve(ratings.size());
  for (std::size_t n = 0; n < ratings.size(); ++n) {
    SOTTO_ASSERT(histories.items()[n].value < columns, "items are columns");
    entries_.push_back({histories.items()[n].value, ratings[n]});
  }
}

RatedMatrix RatedMatrix::transposed() const {
  RatedMatrix result(columns_, rows());
  for (const Rated& entry : entries_) ++result.ends_[entry.column + 1];
  for (std::size_t row = 0; row < columns_; ++row) result.ends_[row + 1] += result.ends_[row];
  result.entries_.resize(entries_.size());
  std::vector<std::uint64_t> next(result.ends_.begin(), result.ends_.end() - 1);
  for (std::size_t row = 0; row < rows(); ++row)
    for (const Rated& entry : of(row))
      result.entries_[next[entry.column]++] = {static_cast<std::uint32_t>(row), entry.value};
  return result;
}

double RatedMatrix::mean() const {
  double sum = 0.0;
  for (const Rated& entry : entries_) sum += static_cast<double>(entry.value);
  return entries_.empty() ? 0.0 : sum / static_cast<double>(entries_.size());
}

}  // namespace sotto::model
