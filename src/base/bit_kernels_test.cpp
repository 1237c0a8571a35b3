#include "base/bit_kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "base/kernels.h"
#include "base/rng.h"

namespace sotto::base::bit_kernels_test {

TEST(BitKernels, CommonOnesAreCountedAsOneByOne) {
  for (const std::size_t words : {1u, 5u, 31u, 32u, 70u}) {
    constexpr std::size_t tiles = 3;
    std::vector<std::uint32_t> bits(tiles * kernels::bit_rows * words);
    std::vector<std::uint32_t> own(words);
    Stream draws(1, Purpose::init_shared);
    for (std::uint32_t& word : bits) word = draws.below(4) == 0 ? 0xFFFFFFFFu : draws.next_u32();
    for (std::uint32_t& word : own) word = draws.below(4) > 0 ? 0xFFFFFFFFu : draws.next_u32();
    std::vector<std::uint32_t> expected(tiles * kernels::bit_rows, 7);
    for (std::size_t row = 0; row < expected.size(); ++row)
      for (std::size_t w = 0; w < words; ++w)
        expected[row] += static_cast<std::uint32_t>(std::popcount(
            own[w] &
            bits[(row / kernels::bit_rows * words + w) * kernels::bit_rows + row % kernels::bit_rows]));
    for (const std::int64_t target : kernels::runnable_targets()) {
      kernels::use_target(target);
      std::vector<std::uint32_t> counts(expected.size(), 7);
      kernels::add_common_ones(bits.data(), tiles, own.data(), words, counts.data());
      EXPECT_EQ(counts, expected) << kernels::target_name() << ' ' << words;
    }
    kernels::use_target(0);
  }
}

}  // namespace sotto::base::bit_kernels_test
