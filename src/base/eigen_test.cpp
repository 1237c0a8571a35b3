#include "base/eigen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace sotto::base::eigen_test {

SymmetricMatrix drawn(std::size_t size) {
  Stream stream(1, Purpose::generate_world);
  SymmetricMatrix matrix(size);
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c <= r; ++c) matrix.at(r, c) = matrix.at(c, r) = stream.uniform() - .5;
  return matrix;
}

TEST(Eigen, VectorsAreEigenvectorsAndRecomposeTheMatrix) {
  const SymmetricMatrix matrix = drawn(57);
  SymmetricMatrix lower = matrix;
  for (std::size_t r = 0; r < 57; ++r)
    for (std::size_t c = r + 1; c < 57; ++c) lower.at(r, c) = 1e9;  // never read
  const auto eigen = eigen_of(std::move(lower));
  ASSERT_TRUE(eigen.ok());
  for (std::size_t n = 0; n < 57; ++n) {
    EXPECT_LE(eigen->values[n == 0 ? 0 : n - 1], eigen->values[n]);
    const auto vector = eigen->vectors.row(n);
    for (std::size_t r = 0; r < 57; ++r) {
      double product = 0.0;
      for (std::size_t c = 0; c < 57; ++c) product += matrix.at(r, c) * vector[c];
      EXPECT_NEAR(product, eigen->values[n] * vector[r], 1e-12);
    }
  }
  const SymmetricMatrix again = recompose(*eigen);
  for (std::size_t r = 0; r < 57; ++r)
    for (std::size_t c = 0; c < 57; ++c) EXPECT_NEAR(again.at(r, c), matrix.at(r, c), 1e-12);
}

TEST(Eigen, RefusesWhatIsNotFinite) {
  SymmetricMatrix matrix(3);
  matrix.at(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(eigen_of(std::move(matrix)).ok());
  EXPECT_TRUE(eigen_of(SymmetricMatrix(0)).ok());
}

TEST(Eigen, NothingKeptIsZero) {
  auto eigen = eigen_of(drawn(9));
  ASSERT_TRUE(eigen.ok());
  std::fill(eigen->values.begin(), eigen->values.end(), 0.0);
  const SymmetricMatrix none = recompose(*eigen);
  for (std::size_t r = 0; r < 9; ++r)
    for (const double value : none.row(r)) EXPECT_EQ(value, 0.0);
}

}  // namespace sotto::base::eigen_test
