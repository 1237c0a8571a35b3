#include "base/normal_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/fixed_point.h"
#include "base/kernels.h"
#include "base/rng.h"
#include "base/row_matrix.h"

namespace sotto::base::normal_kernels_test {

void on_every_target(const auto& check) {
  for (const std::int64_t target : kernels::runnable_targets()) {
    kernels::use_target(target);
    SCOPED_TRACE(kernels::target_name());
    check();
  }
  kernels::use_target(0);
}

// Rows [x, 1] of a given number of factors.
RowMatrix some_rows(std::size_t rows, std::size_t factors, std::uint32_t round) {
  RowMatrix matrix(rows, factors + 1);
  for (std::uint32_t row = 0; row < rows; ++row) {
    Stream draws(3, Purpose::init_shared, round, row);
    for (float& value : matrix.values(row)) value = static_cast<float>(draws.normal());
    matrix.row(row)[factors] = 1.0f;
  }
  return matrix;
}

std::vector<const float*> pointers(const RowMatrix& matrix) {
  std::vector<const float*> rows;
  for (std::size_t row = 0; row < matrix.rows(); ++row) rows.push_back(matrix.row(row));
  return rows;
}

RowMatrix square_for(std::size_t factors) { return RowMatrix(kernels::square_rows(factors), factors + 1); }

RowMatrix products_of(const RowMatrix& rows, std::size_t factors) {
  RowMatrix sums = square_for(factors);
  kernels::add_products(pointers(rows), factors, rows.stride(), sums.row(0));
  return sums;
}

// The obvious way: one number after the other, in the order that the header promises.
std::vector<float> plain_solution(const RowMatrix& sums, const RowMatrix& gram, std::size_t factors,
                                  float weight, float reg) {
  std::vector<std::vector<float>> u(factors, std::vector<float>(factors + 1));
  for (std::size_t i = 0; i < factors; ++i) {
    for (std::size_t j = i; j < factors; ++j)
      u[i][j] = std::fma(weight, sums.row(i)[j], gram.row(i)[j]) + (i == j ? reg : 0.0f);
    u[i][factors] = (1.0f + weight) * sums.row(i)[factors];
  }
  std::vector<float> inverse(factors);
  for (std::size_t i = 0; i < factors; ++i) {
    for (std::size_t k = 0; k < i; ++k)
      for (std::size_t j = i; j <= factors; ++j) u[i][j] = std::fma(-u[k][i], u[k][j], u[i][j]);
    inverse[i] = 1.0f / std::sqrt(u[i][i]);
    for (std::size_t j = i; j <= factors; ++j) u[i][j] *= inverse[i];
  }
  RowMatrix known(1, factors + 1);
  for (std::size_t i = factors; i-- > 0;) {
    const std::size_t from = i / row_lanes * row_lanes;
    float lanes[row_lanes] = {};
    for (std::size_t j = from; j < known.stride(); ++j) {
      const float value = j > i && j < factors ? u[i][j] : 0.0f;
      float& lane = lanes[j % row_lanes];
      lane = j < from + row_lanes ? value * known.row(0)[j] : std::fma(value, known.row(0)[j], lane);
    }
    for (std::size_t half = row_lanes / 2; half > 0; half /= 2)
      for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    known.row(0)[i] = (u[i][factors] - lanes[0]) * inverse[i];
  }
  return {known.row(0), known.row(0) + factors};
}

TEST(NormalKernels, SumsOfProductsAreChainsInTheOrderOfTheRows) {
  for (const std::size_t factors : {1u, 3u, 15u, 16u, 20u, 33u, 64u}) {
    const RowMatrix rows = some_rows(600, factors, 1);
    RowMatrix expected = square_for(factors);
    for (std::size_t n = 0; n < rows.rows(); ++n)
      for (std::size_t i = 0; i < factors; ++i)
        for (std::size_t j = i; j <= factors; ++j)
          expected.row(i)[j] = std::fma(rows.row(n)[i], rows.row(n)[j], expected.row(i)[j]);
    on_every_target([&] {
      const RowMatrix sums = products_of(rows, factors);
      for (std::size_t i = 0; i < factors; ++i)
        for (std::size_t j = i; j <= factors; ++j)
          ASSERT_EQ(sums.row(i)[j], expected.row(i)[j]) << factors << ' ' << i << ' ' << j;
    });
  }
}

TEST(NormalKernels, EveryTargetSolvesLikeTheObviousCholesky) {
  for (const std::size_t factors : {1u, 2u, 7u, 16u, 20u, 29u, 50u, 64u}) {
    const RowMatrix gram = products_of(some_rows(150, factors, 2), factors);
    const RowMatrix sums = products_of(some_rows(11, factors, 3), factors);
    const std::vector<float> expected = plain_solution(sums, gram, factors, 4.0f, 0.5f);
    on_every_target([&] {
      RowMatrix spent = sums;
      std::vector<float> found(factors);
      const double product = kernels::solve_weighted(
          {spent.row(0), gram.row(0), factors, spent.stride(), 4.0f, 0.5f}, found.data());
      EXPECT_EQ(found, expected) << factors;
      double plain = 0.0;
      for (std::size_t i = 0; i < factors; ++i)
        plain += 5.0 * static_cast<double>(sums.row(i)[factors]) * static_cast<double>(found[i]);
      EXPECT_NEAR(product, plain, 1e-4 * std::abs(plain) + 1e-5);
    });
  }
}

TEST(NormalKernels, TheSolutionSolvesTheSystem) {
  constexpr std::size_t factors = 40;
  const RowMatrix gram = products_of(some_rows(300, factors, 4), factors);
  RowMatrix sums = products_of(some_rows(25, factors, 5), factors);
  const RowMatrix kept = sums;
  std::vector<float> x(factors);
  ASSERT_GE(kernels::solve_weighted({sums.row(0), gram.row(0), factors, sums.stride(), 2.0f, 1.0f}, x.data()),
            0.0);
  for (std::size_t i = 0; i < factors; ++i) {
    double left = 1.0 * static_cast<double>(x[i]);
    for (std::size_t j = 0; j < factors; ++j) {
      const std::size_t a = std::min(i, j), b = std::max(i, j);
      left += (static_cast<double>(gram.row(a)[b]) + 2.0 * static_cast<double>(kept.row(a)[b])) *
              static_cast<double>(x[j]);
    }
    EXPECT_NEAR(left, 3.0 * static_cast<double>(kept.row(i)[factors]), 1e-3);
  }
}

TEST(NormalKernels, AMatrixThatIsNotPositiveDefiniteIsRefused) {
  for (const float pivot : {0.0f, -1.0f, std::nanf("")}) {
    RowMatrix gram = square_for(10);
    for (std::size_t i = 0; i < 10; ++i) gram.row(i)[i] = i == 8 ? pivot : 1.0f;
    RowMatrix sums = square_for(10);
    float x[10];
    EXPECT_EQ(kernels::solve_weighted({sums.row(0), gram.row(0), 10, sums.stride(), 1.0f, 0.0f}, x), -1.0);
  }
}

TEST(NormalKernels, ProductsOfOneRowWithManyAndFixedMultiples) {
  for (const std::size_t width : {5u, 16u, 17u, 51u}) {
    const RowMatrix rows = some_rows(30, width - 1, 6);
    const float* own = rows.row(29);
    const std::size_t stride = rows.stride();
    on_every_target([&] {
      std::vector<float> found(30);
      kernels::dot_many(own, rows.row(0), 30, stride, found.data());
      AlignedBuffer<std::int32_t> sum(stride);
      std::fill_n(sum.data(), stride, 7);
      EXPECT_FALSE(kernels::add_multiple(sum.data(), own, 1000.5f, stride));
      for (std::size_t k = 0; k < stride; ++k) EXPECT_EQ(sum.data()[k], 7 + quantise(own[k] * 1000.5f));
      for (std::size_t n = 0; n < 30; ++n) {
        double plain = 0.0;
        for (std::size_t k = 0; k < width; ++k)
          plain += static_cast<double>(own[k]) * static_cast<double>(rows.row(n)[k]);
        EXPECT_NEAR(static_cast<double>(found[n]), plain, 1e-5 * (1.0 + std::abs(plain)));
      }
      // Large values are held, and a sum near its end says so.
      EXPECT_FALSE(kernels::add_multiple(sum.data(), own, 1e30f, stride));
      EXPECT_LE(sum.data()[0], step_limit + 7 + 10000);
      sum.data()[0] = crowded_from - 1;
      EXPECT_FALSE(kernels::add_multiple(sum.data(), own, 0.0f, stride));
      sum.data()[0] = -crowded_from;
      EXPECT_TRUE(kernels::add_multiple(sum.data(), own, 0.0f, stride));
    });
  }
}

TEST(NormalKernels, DotManyGivesTheSameBitsOnEveryTarget) {
  const RowMatrix rows = some_rows(50, 40, 7);
  std::vector<std::vector<float>> all;
  on_every_target([&] {
    kernels::dot_many(rows.row(3), rows.row(0), 50, rows.stride(), all.emplace_back(50).data());
    EXPECT_EQ(all.back(), all.front());
  });
}

}  // namespace sotto::base::normal_kernels_test
