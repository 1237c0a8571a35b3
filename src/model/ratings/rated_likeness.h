// Which rows of ratings are near to a given one: the inner loop of model/ratings/rating_knn.h, where the
// likeness is defined.
#pragma once

#include <span>
#include <vector>

#include "model/central/neighbors.h"
#include "model/ratings/rated_matrix.h"

namespace sotto::model {

struct ComparedRows {
  const RatedMatrix* rows = nullptr;
  const RatedMatrix* columns = nullptr;  // transposed
  std::span<const double> lengths;       // of each row: the root of its sum of squares
};

[[nodiscard]] double length_of(std::span<const Rated> row);

inline constexpr std::size_t no_row = static_cast<std::size_t>(-1);
// The `keep` nearest rows with a likeness above 0, nearest first; `self` is not among them.
[[nodiscard]] std::vector<Neighbor> nearest_rows(std::span<const Rated> row, std::size_t self,
                                                 const ComparedRows& among, const KnnOptions& options,
                                                 std::size_t keep);

}  // namespace sotto::model
