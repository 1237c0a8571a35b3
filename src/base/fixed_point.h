// Fixed-point numbers: what leaves a device is an integer, and a sum of integers is the same in any
// order and any grouping. A value v is the integer nearest to v·2^bits (ties to even).
//
// Laws: |quantised| ≤ fixed_limit; sums of up to 2^32 quantised values fit 64 bits; a value that is
// not a number never becomes an integer silently (the caller's check; see Contribution).
#pragma once

#include <bit>
#include <cstdint>

namespace sotto {

inline constexpr std::int32_t fixed_limit = 2147483520;  // largest float below 2^31

struct FixedPoint {
  int bits = 20;

  [[nodiscard]] float scale() const { return static_cast<float>(std::uint64_t{1} << bits); }
  [[nodiscard]] double unit() const { return 1.0 / static_cast<double>(std::uint64_t{1} << bits); }
};

// Nearest integer to `scaled`, ties to even, held within ±fixed_limit.
[[nodiscard]] inline std::int32_t quantise(float scaled) {
  constexpr auto limit = static_cast<float>(fixed_limit);
  scaled = scaled > limit ? limit : scaled;
  scaled = scaled < -limit ? -limit : scaled;
  // Adding 1.5·2^52 leaves the nearest integer in the low bits of the double.
  const double shifted = static_cast<double>(scaled) + 6755399441055744.0;
  return static_cast<std::int32_t>(std::bit_cast<std::int64_t>(shifted));
}

}  // namespace sotto
