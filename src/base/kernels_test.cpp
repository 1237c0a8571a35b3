#include "base/kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "base/fixed_point.h"
#include "base/rng.h"
#include "base/row_matrix.h"

namespace sotto::base::kernels_test {

class KernelTargets : public testing::TestWithParam<std::size_t> {
 protected:
  void TearDown() override { kernels::use_target(0); }
};

TEST_P(KernelTargets, SumsAreAddedAndAppliedTheSameOnEveryTarget) {
  const std::size_t stride = RowMatrix::stride_for(GetParam());
  std::vector<std::int32_t> values(stride);
  std::vector<std::int32_t> start(stride);
  std::vector<std::int64_t> wide(stride);
  Stream draws(5, Purpose::init_shared);
  for (std::int32_t& v : values) v = static_cast<std::int32_t>(draws.next_u32() >> 3);
  for (std::int32_t& v : start) v = static_cast<std::int32_t>(draws.next_u32() >> 3) - (1 << 28);
  for (std::int64_t& v : wide)
    v = static_cast<std::int64_t>(draws.next_u64() >> 12) - (std::int64_t{1} << 51);
  const float step = 0.05f / 1048576.0f;
  RowMatrix rows(1, GetParam());
  for (float& v : rows.values(0)) v = static_cast<float>(draws.normal());
  std::vector<std::int32_t> sum(stride);
  std::vector<float> narrow_row(rows.row(0), rows.row(0) + stride);
  std::vector<float> wide_row = narrow_row;
  for (std::size_t k = 0; k < stride; ++k) {
    sum[k] = start[k] + values[k];
    narrow_row[k] += static_cast<float>(sum[k]) * step;
    wide_row[k] += static_cast<float>(wide[k]) * step;
  }
  for (const std::int64_t target : kernels::runnable_targets()) {
    kernels::use_target(target);
    std::vector<std::int32_t> got = start;
    EXPECT_FALSE(kernels::add_row(got.data(), values.data(), stride)) << kernels::target_name();
    EXPECT_EQ(got, sum) << kernels::target_name();
    RowMatrix applied = rows;
    kernels::apply_row(applied.row(0), got.data(), step, stride);
    EXPECT_TRUE(std::equal(narrow_row.begin(), narrow_row.end(), applied.row(0))) << kernels::target_name();
    applied = rows;
    kernels::apply_row(applied.row(0), wide.data(), step, stride);
    EXPECT_TRUE(std::equal(wide_row.begin(), wide_row.end(), applied.row(0))) << kernels::target_name();
  }
}

TEST_P(KernelTargets, ASumNearItsEndIsNoticedInAnyColumn) {
  const std::size_t stride = RowMatrix::stride_for(GetParam());
  for (const std::int64_t target : kernels::runnable_targets()) {
    kernels::use_target(target);
    for (std::size_t k = 0; k < stride; ++k) {
      for (const std::int32_t sign : {1, -1}) {
        std::vector<std::int32_t> sum(stride, 0);
        std::vector<std::int32_t> more(stride, 0);
        sum[k] = sign * (crowded_from - 2);
        more[k] = sign;
        EXPECT_FALSE(kernels::add_row(sum.data(), more.data(), stride)) << kernels::target_name();
        EXPECT_TRUE(kernels::add_row(sum.data(), more.data(), stride)) << kernels::target_name();
      }
    }
  }
}

TEST(Kernels, PhiloxInBlocksIsPhiloxOneByOne) {
  constexpr std::size_t count = 32;
  std::vector<std::uint32_t> counters[3];
  Stream draws(1, Purpose::init_shared);
  for (auto& words : counters)
    for (std::size_t n = 0; n < count; ++n) words.push_back(draws.next_u32());
  const kernels::PhiloxRun run{
      {counters[0].data(), counters[1].data(), counters[2].data()}, 4, {0xDEADBEEFu, 77u}};
  for (const std::int64_t target : kernels::runnable_targets()) {
    kernels::use_target(target);
    std::vector<std::uint32_t> words(4 * count);
    kernels::philox_blocks(run, count, words.data());
    for (std::size_t n = 0; n < count; ++n) {
      const PhiloxBlock alone =
          philox({counters[0][n], counters[1][n], counters[2][n], 4}, {0xDEADBEEFu, 77u});
      for (std::size_t w = 0; w < 4; ++w) EXPECT_EQ(words[w * count + n], alone[w]) << kernels::target_name();
    }
  }
  kernels::use_target(0);
}

INSTANTIATE_TEST_SUITE_P(Widths, KernelTargets, testing::Values(2, 16, 21, 51, 101));

}  // namespace sotto::base::kernels_test
