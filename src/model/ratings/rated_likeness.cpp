#include "model/ratings/rated_likeness.h"

#include <algorithm>
#include <cmath>

namespace sotto::model {

namespace {

// What two rows have in common.
struct Common {
  double product = 0.0;
  double own_squares = 0.0, other_squares = 0.0;  // over the columns in common
  std::uint32_t count = 0;
};

double likeness_of(const Common& common, double own_length, std::size_t own_size, double other_length,
                   std::size_t other_size, Similarity similarity) {
  const auto count = static_cast<double>(common.count);
  switch (similarity) {
    case Similarity::cosine:
      return common.product / (own_length * other_length);
    case Similarity::pearson:
      return common.product / std::sqrt(common.own_squares * common.other_squares);
    case Similarity::jaccard:
      return count / (static_cast<double>(own_size + other_size) - count);
  }
  return 0.0;
}

}  // namespace

double length_of(std::span<const Rated> row) {
  double sum = 0.0;
  for (const Rated& entry : row) sum += static_cast<double>(entry.value) * static_cast<double>(entry.value);
  return std::sqrt(sum);
}

std::vector<Neighbor> nearest_rows(std::span<const Rated> row, std::size_t self, const ComparedRows& among,
                                   const KnnOptions& options, std::size_t keep) {
  std::vector<Common> common(among.rows->rows());
  for (const Rated& own : row) {
    const auto value = static_cast<double>(own.value);
    for (const Rated& other : among.columns->of(own.column)) {
      const auto theirs = static_cast<double>(other.value);
      Common& pair = common[other.column];
      pair.product += value * theirs;
      pair.own_squares += value * value;
      pair.other_squares += theirs * theirs;
      ++pair.count;
    }
  }
  const double length = length_of(row);
  std::vector<Neighbor> found;
  for (std::size_t other = 0; other < common.size(); ++other) {
    if (common[other].count == 0 || other == self) continue;
    const auto count = static_cast<double>(common[other].count);
    const double plain = likeness_of(common[other], length, row.size(), among.lengths[other],
                                     among.rows->of(other).size(), options.similarity);
    const auto likeness = static_cast<float>(plain * count / (count + static_cast<double>(options.shrink)));
    // Not a number where somebody's ratings leave nothing over.
    if (likeness > 0.0f && std::isfinite(likeness))
      found.push_back({static_cast<std::uint32_t>(other), likeness});
  }
  keep_nearest(found, keep);
  return found;
}

}  // namespace sotto::model
