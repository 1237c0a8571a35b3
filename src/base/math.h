// The few elementary functions that training depends on, written out so that every machine and every
// instruction set gives the same bits (the C library picks variants by CPU).
// Built with -ffp-contract=off: a product and a sum are two roundings everywhere.
#pragma once

#include <bit>
#include <cstdint>

namespace sotto {

// e^x for finite x; relative error below 2e-7; clamps to the range of a normal float.
[[nodiscard]] inline float exp_f32(float x) {
  x = x > 87.0f ? 87.0f : x;
  x = x < -87.0f ? -87.0f : x;
  // x = n·ln 2 + r, |r| ≤ ln 2 / 2; adding 1.5·2^23 rounds to the nearest integer.
  const float shifted = x * 1.44269504f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const auto exponent = static_cast<std::uint32_t>(static_cast<std::int32_t>(n) + 127) << 23;
  return p * std::bit_cast<float>(exponent);
}

// 1 / (1 + e^−x).
[[nodiscard]] inline float sigmoid_f32(float x) { return 1.0f / (1.0f + exp_f32(-x)); }

// Natural logarithm of a positive normal double; absolute error below 1e-15 · (1 + |ln x|).
[[nodiscard]] double log_f64(double x);
// The same to 1e-10, in half the time.
[[nodiscard]] double log_f64_rough(double x);

// Σ ln x over many x in (0, 1], with one logarithm for many factors. Factors below 1e-30 count as 1e-30.
class LogSum {
 public:
  void add(float x) {
    product_ *= x > 1e-30f ? static_cast<double>(x) : 1e-30;
    if (product_ < 1e-200) flush();
  }
  [[nodiscard]] double value() const { return sum_ + log_f64_rough(product_); }

 private:
  void flush() {
    sum_ += log_f64_rough(product_);
    product_ = 1.0;
  }
  double sum_ = 0.0;
  double product_ = 1.0;
};

// The x with Φ(x) = p, 0 < p < 1 (Wichura's AS 241); relative error below 1e-15.
[[nodiscard]] double normal_quantile(double p);

}  // namespace sotto
