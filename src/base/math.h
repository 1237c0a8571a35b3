// The few elementary functions that training depends on, written out so that every machine and every
// instruction set gives the same bits (the C library picks variants by CPU).
// Built with -ffp-contract=off: a product and a sum are one rounding where std::fma says so, else two.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/layers.h"

namespace sotto::base {

// e^x for finite x; relative error below 2e-7; clamps to the range of a normal float.
[[nodiscard]] inline float exp_f32(float x) {
  x = x > 87.0f ? 87.0f : x;
  x = x < -87.0f ? -87.0f : x;
  // x = n·ln 2 + r, |r| ≤ ln 2 / 2; adding 1.5·2^23 rounds to the nearest integer and leaves it in the low
  // bits.
  const float shifted = std::fma(x, 1.44269504f, 12582912.0f);
  const float n = shifted - 12582912.0f;
  const float r = std::fma(n, 2.12194440e-4f, std::fma(n, -0.693359375f, x));
  float p = 1.9875691500e-4f;
  p = std::fma(p, r, 1.3981999507e-3f);
  p = std::fma(p, r, 8.3334519073e-3f);
  p = std::fma(p, r, 4.1665795894e-2f);
  p = std::fma(p, r, 1.6666665459e-1f);
  p = std::fma(p, r, 5.0000001201e-1f);
  p = std::fma(p * r, r, r) + 1.0f;
  const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) << 23) + (127u << 23);
  return p * std::bit_cast<float>(exponent);
}

// 1 / (1 + e^−x).
[[nodiscard]] inline float sigmoid_f32(float x) { return 1.0f / (1.0f + exp_f32(-x)); }

// Natural logarithm of a positive normal double; absolute error below 1e-15 · (1 + |ln x|).
[[nodiscard]] double log_f64(double x);

inline constexpr float log_series[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                                       -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                                       2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};

// The same in float for x in [1e-30, 1e30]; absolute error below 2e-7 · (1 + |ln x|).
[[nodiscard]] inline float log_f32(float x) {
  // x = 2^e·(1 + m) with 1 + m in [2^-½, 2^½); ln(1 + m) by a polynomial of least error.
  const std::int32_t shifted = std::bit_cast<std::int32_t>(x) - 0x3F3504F3;
  const auto e = static_cast<float>(shifted >> 23);
  const float m = std::bit_cast<float>((shifted & 0x007FFFFF) + 0x3F3504F3) - 1.0f;
  float p = log_series[0];
  for (std::size_t k = 1; k < std::size(log_series); ++k) p = std::fma(p, m, log_series[k]);
  const float square = m * m;
  return std::fma(e, 0.693147181f, std::fma(p * square, m, std::fma(square, -0.5f, m)));
}

// The x with Φ(x) = p, 0 < p < 1 (Wichura's AS 241); relative error below 1e-15.
[[nodiscard]] double normal_quantile(double p);

}  // namespace sotto::base
