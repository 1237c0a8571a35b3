#include "privacy/dp/exact_noise.h"

namespace sotto::privacy {

Wide next_digit(Wide& over, Wide under) {
  Wide digit = 0;
  for (int bit = 0; bit < 64; ++bit) {
    const bool carries = over >> 127 != 0;
    over <<= 1;
    digit <<= 1;
    if (carries || over >= under) over -= under, digit |= 1;
  }
  return digit;
}

std::uint64_t whole_root(std::uint64_t square) {
  std::uint64_t low = 0, high = std::uint64_t{1} << 27;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (middle * middle <= square ? low : high) = middle;
  }
  return low;
}

}  // namespace sotto::privacy
