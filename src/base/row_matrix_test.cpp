#include "base/row_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/rng.h"

namespace sotto::base::row_matrix_test {

void fill(RowMatrix& matrix, std::uint64_t seed) {
  Stream stream(seed, Purpose::init_shared);
  for (std::size_t r = 0; r < matrix.rows(); ++r)
    for (float& value : matrix.values(r)) value = static_cast<float>(stream.normal());
}

TEST(RowMatrix, RowsAreAlignedPaddedAndZero) {
  for (const std::size_t width : {1u, 10u, 15u, 16u, 17u, 20u, 64u, 100u}) {
    RowMatrix matrix(3, width);
    EXPECT_EQ(matrix.stride() % row_lanes, 0u);
    EXPECT_GE(matrix.stride(), width);
    EXPECT_LT(matrix.stride(), width + row_lanes);
    EXPECT_EQ(matrix.bytes(), 3 * matrix.stride() * sizeof(float));
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix.row(r)) % 64, 0u);
      EXPECT_EQ(matrix.values(r).size(), width);
      for (std::size_t k = 0; k < matrix.stride(); ++k) EXPECT_EQ(matrix.row(r)[k], 0.0f);
    }
  }
}

TEST(RowMatrix, FillingTheValuesLeavesThePaddingZero) {
  RowMatrix matrix(4, 20);
  fill(matrix, 1);
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t k = 20; k < matrix.stride(); ++k) EXPECT_EQ(matrix.row(r)[k], 0.0f);
}

TEST(RowMatrix, ACopyIsEqualAndApart) {
  RowMatrix original(2, 5);
  fill(original, 2);
  RowMatrix copy(original);
  EXPECT_EQ(std::memcmp(copy.row(0), original.row(0), original.bytes()), 0);
  copy.values(1)[4] += 1.0f;
  EXPECT_NE(copy.values(1)[4], original.values(1)[4]);
  copy = original;
  EXPECT_EQ(copy.values(1)[4], original.values(1)[4]);
  const float kept = original.values(1)[4];
  const RowMatrix moved(std::move(original));
  EXPECT_EQ(moved.values(1)[4], kept);
}

TEST(RowMatrix, AnEmptyOneIsHarmless) {
  const RowMatrix none;
  EXPECT_EQ(none.rows(), 0u);
  EXPECT_EQ(none.bytes(), 0u);
  RowMatrix copy(1, 1);
  copy = none;
  EXPECT_EQ(copy.bytes(), 0u);
}

TEST(DotRows, IsCloseToTheSumInDoublePrecision) {
  for (const std::size_t width : {1u, 5u, 16u, 20u, 33u, 128u, 1000u}) {
    RowMatrix rows(2, width);
    fill(rows, width);
    double truth = 0.0;
    double size = 0.0;
    for (std::size_t k = 0; k < width; ++k) {
      const double product = static_cast<double>(rows.row(0)[k]) * static_cast<double>(rows.row(1)[k]);
      truth += product;
      size += std::fabs(product);
    }
    EXPECT_NEAR(dot_rows(rows.row(0), rows.row(1), rows.stride()), truth, 1e-6 * size) << width;
  }
}

TEST(DotRows, SumsInTheOrderItPromises) {
  // Lane l holds column l and column l + 16; then lanes are folded in halves. With numbers of such
  // different size any other order gives another result.
  RowMatrix rows(2, 32);
  for (std::size_t k = 0; k < 32; ++k) {
    rows.row(0)[k] = (k % 3 == 0 ? 1.0e8f : 1.0f) * (k % 2 == 0 ? 1.0f : -1.0f) + static_cast<float>(k);
    rows.row(1)[k] = 1.0f;
  }
  float lanes[16];
  for (std::size_t l = 0; l < 16; ++l) lanes[l] = rows.row(0)[l] + rows.row(0)[l + 16];
  float eight[8], four[4];
  for (std::size_t l = 0; l < 8; ++l) eight[l] = lanes[l] + lanes[l + 8];
  for (std::size_t l = 0; l < 4; ++l) four[l] = eight[l] + eight[l + 4];
  EXPECT_EQ(dot_rows(rows.row(0), rows.row(1), 32), (four[0] + four[2]) + (four[1] + four[3]));
}

}  // namespace sotto::base::row_matrix_test
