#include "base/dense.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"

namespace sotto::base::dense_test {

// Says that it has several threads, and runs the last shard first.
class Backward final : public Executor {
 public:
  [[nodiscard]] std::size_t threads() const override { return 5; }
  void run(std::size_t shards, const std::function<void(std::size_t)>& work) override {
    for (std::size_t shard = shards; shard-- > 0;) work(shard);
  }
};

// AᵀA + I of a random A, in the lower triangle; above it something that must not be read.
SymmetricMatrix positive_matrix(std::size_t size) {
  std::vector<double> a(size * 8);
  Stream draws(3, Purpose::init_shared);
  for (double& value : a) value = draws.normal();
  SymmetricMatrix matrix(size);
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c < size; ++c) {
      double sum = r == c ? 1.0 : 0.0;
      for (std::size_t k = 0; k < 8; ++k) sum += a[r * 8 + k] * a[c * 8 + k];
      matrix.at(r, c) = c <= r ? sum : 1e9;
    }
  return matrix;
}

TEST(Dense, TheInverseTimesTheMatrixIsTheIdentity) {
  SerialExecutor serial;
  for (const std::size_t size : {1u, 2u, 127u, 129u, 300u, 517u, 1100u}) {
    const SymmetricMatrix matrix = positive_matrix(size);
    SymmetricMatrix inverse = matrix;
    ASSERT_TRUE(invert(inverse, serial).ok());
    for (std::size_t r = 0; r < size; r += size / 10 + 1)  // some rows of each size
      for (std::size_t c = 0; c < size; ++c) {
        double sum = 0.0;
        for (std::size_t k = 0; k < size; ++k)
          sum += (k <= r ? matrix.at(r, k) : matrix.at(k, r)) * inverse.at(k, c);
        ASSERT_NEAR(sum, r == c ? 1.0 : 0.0, 1e-9) << size << ": " << r << ", " << c;
        ASSERT_EQ(inverse.at(r, c), inverse.at(c, r));
      }
  }
}

TEST(Dense, TheLowerTriangleAloneHoldsTheSameNumbers) {
  SerialExecutor serial;
  for (const std::size_t size : {1u, 128u, 129u, 700u}) {
    SymmetricMatrix whole = positive_matrix(size), lower = whole;
    ASSERT_TRUE(invert(whole, serial).ok());
    ASSERT_TRUE(invert_lower(lower, serial).ok());
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c <= r; ++c) ASSERT_EQ(lower.at(r, c), whole.at(r, c)) << size;
  }
}

TEST(Dense, TheOrderOfStripsDoesNotMatter) {
  SerialExecutor serial;
  Backward backward;
  SymmetricMatrix a = positive_matrix(1900), b = a;
  ASSERT_TRUE(invert(a, serial).ok());
  ASSERT_TRUE(invert(b, backward).ok());
  for (std::size_t r = 0; r < a.size(); ++r)
    for (std::size_t c = 0; c < a.size(); ++c) ASSERT_EQ(a.at(r, c), b.at(r, c));
}

TEST(Dense, RefusesWhatIsNotPositiveDefinite) {
  SerialExecutor serial;
  for (const std::size_t size : {3u, 400u}) {
    SymmetricMatrix matrix = positive_matrix(size);
    matrix.at(size - 1, size - 1) = -1.0;
    const Status status = invert(matrix, serial);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().message.find("--lambda"), std::string::npos);
  }
}

}  // namespace sotto::base::dense_test
