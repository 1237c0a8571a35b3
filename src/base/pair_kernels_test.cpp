#include "base/pair_kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "base/fixed_point.h"
#include "base/kernels.h"
#include "base/math.h"
#include "base/rng.h"
#include "base/row_matrix.h"

namespace sotto::base::pair_kernels_test {

// The obvious loops, one value after the other, in the order that the law names.
float plain_difference(const float* own, const float* positive, const float* negative, std::size_t stride) {
  float lanes[row_lanes];
  for (std::size_t l = 0; l < row_lanes; ++l) lanes[l] = own[l] * (positive[l] - negative[l]);
  for (std::size_t k = row_lanes; k < stride; ++k)
    lanes[k % row_lanes] = std::fma(own[k], positive[k] - negative[k], lanes[k % row_lanes]);
  for (std::size_t half = row_lanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return lanes[0];
}

std::int64_t plain_loss(float error) {
  const float right = 1.0f - error > 1e-30f ? 1.0f - error : 1e-30f;
  return std::llrint(log_f32(right) * -1048576.0f);
}

std::int32_t plain_update(float pull, float p, float reg, float q, bool bias, const kernels::PairRates& r) {
  return quantise(std::fma(pull * r.fixed_scale, p, (bias ? 0.0f : -reg * r.fixed_scale) * q));
}

float plain_user(float moved, float p, float apart, float error, bool bias, const kernels::PairRates& r) {
  const float kept = std::fma(bias ? 0.0f : -r.learning_rate * r.user_reg, p, moved);
  return std::fma(bias ? 0.0f : r.learning_rate * error, apart, kept);
}

kernels::PairTotals plain_pair_steps(std::span<const kernels::PairStep> steps, const kernels::PairRates& r) {
  kernels::PairTotals totals;
  for (const kernels::PairStep& s : steps) {
    const float error = sigmoid_f32(-plain_difference(s.own, s.positive, s.negative, r.stride));
    totals.loss_units += plain_loss(error);
    for (std::size_t k = 0; k < r.stride; ++k) {
      const float p = s.own[k];
      const bool bias = k == r.bias;
      s.sum_negative[k] += plain_update(-error, p, r.negative_reg, s.negative[k], bias, r);
      if (s.sum_positive != nullptr)
        s.sum_positive[k] += plain_update(error, p, r.positive_reg, s.positive[k], bias, r);
      s.moved[k] = plain_user(s.moved[k], p, s.positive[k] - s.negative[k], error, bias, r);
    }
  }
  return totals;
}

kernels::PairTotals plain_row_steps(std::span<const kernels::RowStep> steps, const kernels::PairRates& r,
                                    bool fixed) {
  kernels::PairTotals totals;
  std::vector<float> errors;
  for (const kernels::RowStep& s : steps) {
    errors.push_back(sigmoid_f32(-plain_difference(s.own, s.positive, s.negative, r.stride)));
    totals.loss_units += plain_loss(errors.back());
  }
  const auto changed = [&](float row, float pull, float p, float reg, bool bias) {
    if (fixed)
      return row + static_cast<float>(plain_update(pull, p, reg, row, bias, r)) *
                       (r.learning_rate * (1.0f / r.fixed_scale));
    return std::fma(pull * r.learning_rate, p, (bias ? 1.0f : 1.0f - r.learning_rate * reg) * row);
  };
  for (std::size_t n = 0; n < steps.size(); ++n) {
    const kernels::RowStep& s = steps[n];
    for (std::size_t k = 0; k < r.stride; ++k) {
      const float p = s.own[k];
      const float i = s.positive[k];
      const float j = s.negative[k];
      const bool bias = k == r.bias;
      s.own[k] = plain_user(p, p, i - j, errors[n], bias, r);
      s.negative[k] = changed(j, -errors[n], p, r.negative_reg, bias);
      if (s.send_positive) s.positive[k] = changed(i, errors[n], p, r.positive_reg, bias);
    }
  }
  return totals;
}

// Rows 3n, 3n + 1, 3n + 2: positive, negative and own row of step n.
struct World {
  RowMatrix rows;
  AlignedBuffer<std::int32_t> sums;
  kernels::PairTotals totals;

  World(std::size_t width, std::size_t steps)
      : rows(3 * steps, width), sums(2 * steps * RowMatrix::stride_for(width)) {
    std::fill_n(sums.data(), sums.size(), 0);
    Stream draws(width, Purpose::init_shared);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      for (float& v : rows.values(r)) v = static_cast<float>(draws.normal());
      if (r % 3 == 2) rows.row(r)[width - 1] = 1.0f;
    }
  }
  [[nodiscard]] std::vector<kernels::PairStep> pair_steps() {
    std::vector<kernels::PairStep> steps;
    for (std::size_t n = 0; n < rows.rows() / 3; ++n) {
      std::int32_t* mine = sums.data() + 2 * n * rows.stride();
      steps.push_back({.positive = rows.row(3 * n),
                       .negative = rows.row(3 * n + 1),
                       .own = rows.row(3 * n + 2),
                       .moved = rows.row(3 * n + 2),
                       .sum_positive = n % 3 == 1 ? nullptr : mine,
                       .sum_negative = mine + rows.stride()});
    }
    return steps;
  }
  [[nodiscard]] std::vector<kernels::RowStep> row_steps() {
    std::vector<kernels::RowStep> steps;
    for (std::size_t n = 0; n < rows.rows() / 3; ++n)
      steps.push_back({.own = rows.row(3 * n + 2),
                       .positive = rows.row(3 * n),
                       .negative = rows.row(n == 2 ? 1 : 3 * n + 1),  // the third shares a row with the first
                       .send_positive = n % 3 != 1});
    return steps;
  }
  [[nodiscard]] kernels::PairRates rates() const {
    return {.fixed_scale = 1048576.0f,
            .learning_rate = 0.05f,
            .user_reg = 0.0025f,
            .positive_reg = 0.003f,
            .negative_reg = 0.00025f,
            .stride = rows.stride(),
            .bias = rows.width() - 1};
  }
  [[nodiscard]] std::vector<std::int64_t> bits() const {
    std::vector<std::int64_t> all(sums.data(), sums.data() + sums.size());
    for (std::size_t r = 0; r < rows.rows(); ++r)
      for (std::size_t k = 0; k < rows.stride(); ++k)
        all.push_back(std::bit_cast<std::int32_t>(rows.row(r)[k]));
    all.push_back(totals.loss_units);
    all.push_back(totals.finite ? 1 : 0);
    return all;
  }
};

class PairKernelTargets : public testing::TestWithParam<std::size_t> {
 protected:
  void TearDown() override { kernels::use_target(0); }

  using Steps = std::function<kernels::PairTotals(World&)>;
  static void compare(const Steps& plainly, const Steps& quickly) {
    for (std::size_t count = 1; count <= kernels::most_steps; ++count) {
      World expected(GetParam(), count);
      expected.totals = plainly(expected);
      for (const std::int64_t target : kernels::runnable_targets()) {
        kernels::use_target(target);
        World got(GetParam(), count);
        got.totals = quickly(got);
        EXPECT_EQ(got.bits(), expected.bits()) << kernels::target_name() << ' ' << count;
      }
    }
  }
};

TEST_P(PairKernelTargets, PairStepsHaveTheSameBitsOnEveryTargetAloneAndTogether) {
  compare([](World& w) { return plain_pair_steps(w.pair_steps(), w.rates()); },
          [](World& w) { return kernels::pair_steps(w.pair_steps(), w.rates()); });
}

TEST_P(PairKernelTargets, RoundStepsHaveTheSameBitsOnEveryTarget) {
  compare([](World& w) { return plain_row_steps(w.row_steps(), w.rates(), true); },
          [](World& w) { return kernels::round_steps(w.row_steps(), w.rates()); });
}

TEST_P(PairKernelTargets, CentralStepsHaveTheSameBitsOnEveryTarget) {
  compare([](World& w) { return plain_row_steps(w.row_steps(), w.rates(), false); },
          [](World& w) { return kernels::central_steps(w.row_steps(), w.rates()); });
}

TEST_P(PairKernelTargets, CrowdedSumsAndInfiniteScoresAreReported) {
  for (const std::int64_t target : kernels::runnable_targets()) {
    kernels::use_target(target);
    World world(GetParam(), 5);
    const auto steps = world.pair_steps();
    steps[3].sum_negative[0] = crowded_from + 5'000'000;
    EXPECT_EQ(kernels::pair_steps(steps, world.rates()).crowded, 1u << 3) << kernels::target_name();
    world.rows.row(7)[0] = 1e35f;
    EXPECT_FALSE(kernels::pair_steps(world.pair_steps(), world.rates()).finite) << kernels::target_name();
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, PairKernelTargets, testing::Values(2, 11, 16, 21, 33, 51, 65, 101));

}  // namespace sotto::base::pair_kernels_test
