#include "model/central/noisy_gram.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace sotto::model::noisy_gram_test {

constexpr std::size_t size = 120;

// Three directions that matter, and noise.
SymmetricMatrix planted() {
  Stream stream(3, Purpose::generate_world);
  SymmetricMatrix matrix(size);
  for (const double strength : {900.0, 300.0, 150.0}) {
    std::vector<double> direction(size);
    double square = 0.0;
    for (double& value : direction) value = stream.normal(), square += value * value;
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < size; ++c)
        matrix.at(r, c) += strength * direction[r] * direction[c] / square;
  }
  return matrix;
}

double distance(const SymmetricMatrix& a, const SymmetricMatrix& b) {
  double sum = 0.0;
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c < size; ++c) sum += (a.at(r, c) - b.at(r, c)) * (a.at(r, c) - b.at(r, c));
  return sum;
}

TEST(CleanGram, KeepsWhatStandsAboveTheNoiseAndComesNearerToTheTruth) {
  const SymmetricMatrix truth = planted();
  SymmetricMatrix noisy = truth;
  Stream stream(4, Purpose::generate_world);
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c <= r; ++c) {
      noisy.at(r, c) += 3.0 * stream.normal();
      noisy.at(c, r) = noisy.at(r, c);
    }
  const auto clean = clean_gram(noisy, 3.0);
  ASSERT_TRUE(clean.ok());
  EXPECT_EQ(clean->kept_values, 3u);
  EXPECT_LT(distance(clean->gram, truth), .1 * distance(noisy, truth));
}

TEST(CleanGram, WithoutNoiseIsTheMatrix) {
  const SymmetricMatrix truth = planted();
  const auto clean = clean_gram(truth, 0.0);
  ASSERT_TRUE(clean.ok());
  EXPECT_LT(distance(clean->gram, truth), 1e-18 * distance(truth, SymmetricMatrix(size)));
}

TEST(CleanGram, OfNoiseAloneLittleIsLeft) {
  Stream stream(5, Purpose::generate_world);
  SymmetricMatrix noisy(size);
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c <= r; ++c) noisy.at(r, c) = 3.0 * stream.normal();
  const auto clean = clean_gram(std::move(noisy), 3.0 * 1.1);
  ASSERT_TRUE(clean.ok());
  EXPECT_EQ(clean->kept_values, 0u);
}

}  // namespace sotto::model::noisy_gram_test
