// Half precision (IEEE 754 binary16) as bits: what a float is when it travels in 16 of them.
//
// Laws: every finite half survives the way to float and back; a float becomes the nearest half, ties to even;
// what lies beyond the largest finite half becomes that, and what is not finite stays so.
#pragma once

#include <bit>
#include <cstdint>

#include "base/layers.h"

namespace sotto::base {

inline constexpr std::uint16_t largest_half = 0x7BFF;  // 65504

// By bits and one addition that rounds: the same on every machine.
[[nodiscard]] inline std::uint16_t half_of(float value) {
  constexpr std::uint32_t least_normal = 0x38800000u;  // 2^-14
  constexpr std::uint32_t most = 0x477FF000u;          // 65520, halfway to a half that is not there
  constexpr std::uint32_t exponent_shift = (127u - 15u) << 23;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t size = bits & 0x7FFFFFFFu;
  // The unit of 1/2 is 2^-24, the smallest half: adding it rounds to whole ones of them.
  const std::uint32_t below =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
  const std::uint32_t normal = (size - exponent_shift + 0xFFFu + ((size >> 13) & 1u)) >> 13;
  const std::uint32_t above = size < 0x7F800000u ? largest_half : 0x7C00u;
  const std::uint32_t half = size < least_normal ? below : size >= most ? above : normal;
  return static_cast<std::uint16_t>(sign | half);
}

[[nodiscard]] inline bool is_finite_half(std::uint16_t half) { return (half & 0x7C00u) != 0x7C00u; }

[[nodiscard]] inline float float_of_half(std::uint16_t half) {
  constexpr float up = 5.192296858534828e+33f;  // 2^112: the difference of the exponents' biases
  // As the low bits of a float's fields a half is 2^112 times too small, subnormal ones too.
  const float size = std::bit_cast<float>(std::uint32_t{half & 0x7FFFu} << 13) * up;
  const std::uint32_t beyond = is_finite_half(half) ? 0u : 0x7F800000u;
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | beyond | sign);
}

}  // namespace sotto::base
