#include "base/rng.h"
#include "data/contexts.h"

namespace sotto::data {

bool carries(std::uint64_t seed, UserIndex user, ItemIndex item, std::size_t dimension, float share) {
  if (share >= 1.0f) return true;
  if (!(share > 0.0f)) return false;
  // The block that a Stream of this key has at the place of the dimension.
  const PhiloxBlock block =
      philox({static_cast<std::uint32_t>(dimension), user.value, item.value,
              static_cast<std::uint32_t>(Purpose::context_share)},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return static_cast<double>(block[0]) < double{share} * 0x1.0p32;
}

}  // namespace sotto::data
