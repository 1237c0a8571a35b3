// The discrete Fourier transform of a power of two complex numbers, in place (Cooley and Tukey).
// Law: backward undoes forward.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "base/layers.h"

namespace sotto::privacy {

enum class Direction : std::uint8_t { forward, backward };

// The size is a power of two.
void fourier(std::vector<std::complex<double>>& values, Direction direction);

// z^power by squaring: rounding grows with the number of bits alone.
[[nodiscard]] std::complex<double> whole_power(std::complex<double> z, std::uint32_t power);

}  // namespace sotto::privacy
