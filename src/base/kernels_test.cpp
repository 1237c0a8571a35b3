#include "base/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "base/fixed_point.h"
#include "base/math.h"
#include "base/rng.h"
#include "base/row_matrix.h"

namespace sotto {
namespace {

// The obvious loops, one value after the other, in the order that the law names.
struct Plainly {
  static kernels::PairResult pair_step(const kernels::PairStep& s, const kernels::PairRates& r) {
    std::vector<float> apart(s.stride);
    for (std::size_t k = 0; k < s.stride; ++k) apart[k] = s.positive[k] - s.negative[k];
    const float difference = dot_rows(s.own, apart.data(), s.stride);
    const float error = sigmoid_f32(-difference);
    for (std::size_t k = 0; k < s.stride; ++k) {
      const float own = s.own[k];
      const bool bias = k == s.bias;
      const float down = -error * r.fixed_scale * own + (-r.negative_reg * r.fixed_scale) * s.negative[k];
      const float up = error * r.fixed_scale * own + (-r.positive_reg * r.fixed_scale) * s.positive[k];
      if (s.out_negative != nullptr) s.out_negative[k] = quantise(bias ? -error * r.fixed_scale : down);
      if (s.out_positive != nullptr) s.out_positive[k] = quantise(bias ? error * r.fixed_scale : up);
      const float toward = r.learning_rate * error * (s.positive[k] - s.negative[k]);
      s.moved[k] += toward - r.learning_rate * r.user_reg * own;
    }
    s.moved[s.bias] = 1.0f;
    return {difference, error};
  }
};

class KernelTargets : public testing::TestWithParam<std::size_t> {
 protected:
  void TearDown() override { kernels::use_target(0); }
};

RowMatrix random_rows(std::size_t width, std::uint32_t seed) {
  RowMatrix rows(3, width);
  Stream draws(seed, Purpose::init_shared);
  for (std::size_t r = 0; r < 3; ++r)
    for (float& v : rows.values(r)) v = static_cast<float>(draws.normal());
  rows.row(2)[width - 1] = 1.0f;
  return rows;
}

std::vector<std::uint32_t> bits_of(const RowMatrix& rows) {
  std::vector<std::uint32_t> bits;
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (const float v : rows.values(r)) bits.push_back(std::bit_cast<std::uint32_t>(v));
  return bits;
}

TEST_P(KernelTargets, PairStepsHaveTheSameBitsOnEveryTargetAloneAndTogether) {
  const std::size_t width = GetParam();
  const kernels::PairRates rates{1048576.0f, 0.05f, 0.0025f, 0.003f, 0.00025f};
  for (std::size_t count = 1; count <= kernels::most_steps; ++count) {
    const auto run = [&](const auto& pair_steps) {
      std::vector<RowMatrix> users;
      for (std::uint32_t n = 0; n < count; ++n) users.push_back(random_rows(width, n * 100 + 7));
      const std::size_t stride = users[0].stride();
      std::vector<std::int32_t> out(2 * stride * count, 0);
      std::vector<kernels::PairStep> steps;
      for (std::size_t n = 0; n < count; ++n) {
        std::int32_t* mine = out.data() + 2 * stride * n;
        steps.push_back({.positive = users[n].row(0),
                         .negative = users[n].row(1),
                         .own = users[n].row(2),
                         .moved = users[n].row(2),
                         .out_positive = n % 3 == 1 ? nullptr : mine,
                         .out_negative = mine + stride,
                         .stride = stride,
                         .bias = width - 1});
      }
      std::vector<kernels::PairResult> results(count);
      pair_steps(std::span<const kernels::PairStep>(steps), results.data());
      std::vector<std::uint32_t> bits;
      for (const RowMatrix& rows : users)
        for (const std::uint32_t b : bits_of(rows)) bits.push_back(b);
      for (const auto& r : results) {
        bits.push_back(std::bit_cast<std::uint32_t>(r.difference));
        bits.push_back(std::bit_cast<std::uint32_t>(r.error));
      }
      return std::pair(bits, out);
    };
    const auto expected = run([&](std::span<const kernels::PairStep> steps, kernels::PairResult* results) {
      for (std::size_t n = 0; n < steps.size(); ++n) results[n] = Plainly::pair_step(steps[n], rates);
    });
    for (const std::int64_t target : kernels::runnable_targets()) {
      kernels::use_target(target);
      EXPECT_EQ(run([&](std::span<const kernels::PairStep> steps, kernels::PairResult* results) {
                  kernels::pair_steps(steps, rates, results);
                }),
                expected)
          << kernels::target_name() << ' ' << count;
    }
  }
}

TEST_P(KernelTargets, SumsAreAddedAndAppliedTheSameOnEveryTarget) {
  const std::size_t stride = RowMatrix::stride_for(GetParam());
  std::vector<std::int32_t> values(stride);
  std::vector<std::int64_t> start(stride);
  Stream draws(5, Purpose::init_shared);
  for (std::int32_t& v : values) v = static_cast<std::int32_t>(draws.next_u32());
  for (std::int64_t& v : start)
    v = static_cast<std::int64_t>(draws.next_u64() >> 8) - (std::int64_t{1} << 55);
  const double step = 0.05 / 1048576.0;
  RowMatrix rows = random_rows(GetParam(), 3);
  std::vector<std::int64_t> sum = start;
  std::vector<float> row(rows.row(0), rows.row(0) + stride);
  for (std::size_t k = 0; k < stride; ++k) {
    sum[k] += values[k];
    row[k] += static_cast<float>(static_cast<double>(sum[k]) * step);
  }
  for (const std::int64_t target : kernels::runnable_targets()) {
    kernels::use_target(target);
    std::vector<std::int64_t> got = start;
    kernels::add_row(got.data(), values.data(), stride, false);
    EXPECT_EQ(got, sum) << kernels::target_name();
    std::vector<std::int64_t> fresh = start;
    kernels::add_row(fresh.data(), values.data(), stride, true);
    EXPECT_EQ(fresh, std::vector<std::int64_t>(values.begin(), values.end())) << kernels::target_name();
    RowMatrix applied = rows;
    kernels::apply_row(applied.row(0), got.data(), step, stride);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), applied.row(0))) << kernels::target_name();
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

INSTANTIATE_TEST_SUITE_P(Widths, KernelTargets, testing::Values(2, 11, 16, 21, 33, 51, 65, 101));

}  // namespace
}  // namespace sotto
