#include "model/named_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace sotto::model {

double trial_weight(std::size_t row) {
  // Multiples of the golden ratio, modulo 2: no two are alike, and neighbours differ much.
  const auto turned = static_cast<std::int64_t>((std::uint64_t{row} + 1) * 0x9E3779B97F4A7C15u);
  return static_cast<double>(turned) * 0x1.0p-63;
}

void add_rounded(std::span<const double> values, Hasher& hasher) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  const int step = largest > 0.0 ? std::ilogb(largest) - 9 : 0;
  std::vector<std::int64_t> rounded;
  rounded.reserve(values.size());
  for (const double value : values) rounded.push_back(std::llrint(std::ldexp(value, -step)));
  hasher.u64(static_cast<std::uint64_t>(step)).array(std::span<const std::int64_t>(rounded));
}

}  // namespace sotto::model
