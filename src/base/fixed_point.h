// Fixed-point numbers: what leaves a device is an integer, and a sum of integers is the same in any
// order and any grouping. A value v is the integer nearest to v·2^bits (ties to even).
//
// Laws: |quantised| ≤ step_limit, and a row of a contribution, which may sum several, stays within
// fixed_limit; sums of up to 2^32 contributions fit 64 bits; a value that is not a number never becomes an
// integer silently (the caller's check; see Contribution).
#pragma once

#include <bit>
#include <cstdint>

#include "base/layers.h"

namespace sotto::base {

inline constexpr std::int32_t step_limit = 33554430;     // one update: the largest float below 2^25
inline constexpr std::int32_t fixed_limit = 1073741760;  // a contribution's row: the largest float below 2^30
// Sums are kept in 32 bits while every value is below this; the room above takes 32 updates or one
// contribution.
inline constexpr std::int32_t crowded_from = 1 << 30;

struct FixedPoint {
  int bits = 20;

  [[nodiscard]] float scale() const { return static_cast<float>(std::uint64_t{1} << bits); }
};

// Nearest integer to `scaled`, ties to even, held within ±limit: one update, or a row that sums several.
template <std::int32_t limit = step_limit>
[[nodiscard]] inline std::int32_t quantise(float scaled) {
  constexpr auto end = static_cast<float>(limit);
  scaled = scaled > end ? end : scaled;
  scaled = scaled < -end ? -end : scaled;
  // Adding 1.5·2^52 leaves the nearest integer in the low bits of the double.
  const double shifted = static_cast<double>(scaled) + 6755399441055744.0;
  return static_cast<std::int32_t>(std::bit_cast<std::int64_t>(shifted));
}

}  // namespace sotto::base
