// Counting what rows of bits have in common, for several instruction sets chosen at run time as in
// base/kernels.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/layers.h"

namespace sotto::base::kernels {

// Rows of bits stand side by side in tiles of 16: word w of row r is
// tiles[(r / 16 · words + w) · 16 + r mod 16].
inline constexpr std::size_t bit_rows = 16;

// counts[r] += ones that row r has in common with `own`, for all rows of `tile_count` tiles.
void add_common_ones(const std::uint32_t* tiles, std::size_t tile_count, const std::uint32_t* own,
                     std::size_t words, std::uint32_t* counts);

}  // namespace sotto::base::kernels
