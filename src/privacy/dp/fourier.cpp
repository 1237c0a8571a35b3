#include "privacy/dp/fourier.h"

#include <bit>
#include <numbers>

#include "base/assert.h"

namespace sotto::privacy {

namespace {

// std::complex's own product asks for NaNs at every step.
std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

void order_by_reversed_bits(std::vector<std::complex<double>>& values) {
  for (std::size_t i = 1, j = 0; i < values.size(); ++i) {
    std::size_t bit = values.size() >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
}

}  // namespace

void fourier(std::vector<std::complex<double>>& values, Direction direction) {
  const std::size_t size = values.size();
  SOTTO_ASSERT(std::has_single_bit(size), "a power of two");
  order_by_reversed_bits(values);
  const double sign = direction == Direction::forward ? -1.0 : 1.0;
  std::vector<std::complex<double>> roots(size / 2);
  for (std::size_t k = 0; k < roots.size(); ++k)
    roots[k] =
        std::polar(1.0, sign * 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size));
  for (std::size_t half = 1; half < size; half *= 2)
    for (std::size_t block = 0; block < size; block += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<double> even = values[block + k];
        const std::complex<double> odd = times(values[block + k + half], roots[k * (size / (2 * half))]);
        values[block + k] = even + odd;
        values[block + k + half] = even - odd;
      }
  if (direction == Direction::backward)
    for (auto& value : values) value /= static_cast<double>(size);
}

std::complex<double> whole_power(std::complex<double> z, std::uint32_t power) {
  std::complex<double> result = 1.0;
  for (; power != 0; power >>= 1, z = times(z, z))
    if ((power & 1) != 0) result = times(result, z);
  return result;
}

}  // namespace sotto::privacy
