#include "base/bit_kernels.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/bit_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto::base::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
void add_common_ones_any(const std::uint32_t* tiles, std::size_t tile_count, const std::uint32_t* own,
                         std::size_t words, std::uint32_t* counts) {
  for (std::size_t tile = 0; tile < tile_count; ++tile)
    for (std::size_t w = 0; w < words; ++w)
      for (std::size_t r = 0; r < bit_rows; ++r)
        counts[tile * bit_rows + r] +=
            static_cast<std::uint32_t>(std::popcount(tiles[(tile * words + w) * bit_rows + r] & own[w]));
}
#else
// The four bytes of each lane, added up.
template <class D, class V>
HWY_INLINE V add_bytes(D d, V bytes) {
  const auto even = hn::Set(d, 0x00FF00FFu);
  const V pairs = hn::Add(hn::And(bytes, even), hn::And(hn::ShiftRight<8>(bytes), even));
  return hn::Add(hn::And(pairs, hn::Set(d, 0xFFFFu)), hn::ShiftRight<16>(pairs));
}

void add_common_ones_any(const std::uint32_t* tiles, std::size_t tile_count, const std::uint32_t* own,
                         std::size_t words, std::uint32_t* counts) {
  const hn::CappedTag<std::uint32_t, bit_rows> d;
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  constexpr std::size_t most_words = 31;  // 8 ones a byte and word: a byte holds no more
  for (std::size_t tile = 0; tile < tile_count; ++tile, tiles += words * bit_rows, counts += bit_rows)
    for (std::size_t r = 0; r < bit_rows; r += hn::Lanes(d)) {
      auto total = hn::LoadU(d, counts + r);
      for (std::size_t begin = 0; begin < words; begin += most_words) {
        auto ones = hn::Zero(bytes);
        for (std::size_t w = begin; w < std::min(begin + most_words, words); ++w) {
          const auto common = hn::And(hn::LoadU(d, tiles + w * bit_rows + r), hn::Set(d, own[w]));
          ones = hn::Add(ones, hn::PopulationCount(hn::BitCast(bytes, common)));
        }
        total = hn::Add(total, add_bytes(d, hn::BitCast(d, ones)));
      }
      hn::StoreU(total, d, counts + r);
    }
}
#endif

}  // namespace sotto::base::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto::base::kernels {

HWY_EXPORT(add_common_ones_any);

void add_common_ones(const std::uint32_t* tiles, std::size_t tile_count, const std::uint32_t* own,
                     std::size_t words, std::uint32_t* counts) {
  HWY_DYNAMIC_DISPATCH(add_common_ones_any)(tiles, tile_count, own, words, counts);
}

}  // namespace sotto::base::kernels
#endif
