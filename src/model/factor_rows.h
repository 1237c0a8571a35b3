// Rows of a factorisation as training begins: N(0, sd²) in the factors, laid out as in model/mf_recommender.h
// (a user's row ends with a 1, an item's with a bias of 0).
#pragma once

#include <cstdint>

#include "base/row_matrix.h"

namespace sotto::model {

[[nodiscard]] RowMatrix start_user_rows(std::size_t users, std::uint32_t factors, float sd,
                                        std::uint64_t seed);
[[nodiscard]] RowMatrix start_item_rows(std::size_t items, std::uint32_t factors, float sd,
                                        std::uint64_t seed);

}  // namespace sotto::model
