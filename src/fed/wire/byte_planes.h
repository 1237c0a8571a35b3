// Rows of bytes turned on their side: all first bytes together, then all second ones. Numbers of like size
// share their high bytes, and bytes that are like each other pack well beside each other.
//
// Law: from_planes undoes to_planes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/layers.h"

namespace sotto::fed {

namespace planes {
inline constexpr std::size_t rows_at_once = 64;  // so that lines stay in a near cache

// Calls move(place in rows, place in planes) for every byte. `order` lists the bytes of a row as their planes
// follow each other.
template <class Move>
void each(std::size_t rows, std::span<const std::uint32_t> order, Move&& move) {
  for (std::size_t begin = 0; begin < rows; begin += rows_at_once) {
    const std::size_t end = std::min(rows, begin + rows_at_once);
    for (std::size_t plane = 0; plane < order.size(); ++plane)
      for (std::size_t row = begin; row < end; ++row)
        move(row * order.size() + order[plane], plane * rows + row);
  }
}
}  // namespace planes

inline void to_planes(const char* in, std::size_t rows, std::span<const std::uint32_t> order, char* out) {
  planes::each(rows, order, [&](std::size_t row, std::size_t plane) { out[plane] = in[row]; });
}

inline void from_planes(const char* in, std::size_t rows, std::span<const std::uint32_t> order, char* out) {
  planes::each(rows, order, [&](std::size_t row, std::size_t plane) { out[row] = in[plane]; });
}

}  // namespace sotto::fed
