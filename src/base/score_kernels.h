// Scores of many users against many items, 64 items (a panel) at a time, for several instruction sets
// chosen at run time as in base/kernels.h.
//
// Laws: the score of two rows is one chain of fused multiply-adds from 0 over the columns in order,
// s = fma(p[k], q[k], s), so that lanes run across items and every target gives the same bits. It does
// not depend on which panel or lane an item stands in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/layers.h"

namespace sotto::base::kernels {

inline constexpr std::size_t panel_items = 64;
// Users scored in one call; their scores, rows and the panel stay in the nearest cache together.
inline constexpr std::size_t tile_users = 24;

// Lays up to 64 rows side by side: panel[k · 64 + n] = rows[n][k]; lanes without a row are 0. Rows are padded
// as in RowMatrix; the panel is aligned to 64 bytes and has panel_floats(width) places. Returns the largest
// absolute value, which is infinite or not a number where a row holds such.
[[nodiscard]] constexpr std::size_t panel_floats(std::size_t width) {
  return (width + 3) / 4 * 4 * panel_items;
}
float pack_panel(std::span<const float* const> rows, std::size_t width, float* panel);

// scores[u · 64 + n] is the score of user row u and lane n; bit n of above[u] says that it is larger than
// thresholds[u]. `scores` is aligned to 64 bytes.
void score_panel(const float* panel, std::size_t width, std::span<const float* const> users,
                 const float* thresholds, float* scores, std::uint64_t* above);

// Bit n: scores[n] > threshold, for 64 scores at any address.
[[nodiscard]] std::uint64_t lanes_above(const float* scores, float threshold);

// A list of the best scores, best first, with their numbers: `slots` places, 16 or 32, free ones −∞.
// Lets scores[n] with number first + n in for each bit n of `lanes`, in that order; a score that equals one
// that is there stands after it. What falls out at the end is gone.
inline constexpr std::size_t most_slots = 32;
void sink_lanes(float* list, std::uint32_t* numbers, std::size_t slots, const float* scores,
                std::uint32_t first, std::uint64_t lanes);

// How pairs of a relevant item and another one stand: in how many the other is above, in how many level.
struct PairCount {
  std::uint64_t above = 0;
  std::uint64_t level = 0;
  bool operator==(const PairCount&) const = default;
};
// Adds the pairs of the first `count` scores in `sorted` (ascending, finite, followed by sorted_padding
// times +∞; fewer than 2²⁴) with the 64 of `scores`, which are finite, the lanes of `left_out` excepted.
inline constexpr std::size_t sorted_padding = 32;
void count_pairs(const float* scores, std::uint64_t left_out, const float* sorted, std::size_t count,
                 PairCount& pairs);

}  // namespace sotto::base::kernels
