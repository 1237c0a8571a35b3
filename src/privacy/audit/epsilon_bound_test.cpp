#include "privacy/audit/epsilon_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"

namespace sotto::privacy::epsilon_bound_test {

TEST(ClopperPearson, PublishedExamples) {
  // 4 of 20 at 95%: .0573, .4366 (R's binom.test(4, 20)).
  const Interval few = clopper_pearson(4, 20, 0.95);
  EXPECT_NEAR(few.low, 0.05733, 1e-5);
  EXPECT_NEAR(few.high, 0.43661, 1e-5);
  // None of n: 1 − (α/2)^(1/n).
  const Interval none = clopper_pearson(0, 30, 0.95);
  EXPECT_EQ(none.low, 0.0);
  EXPECT_NEAR(none.high, 1.0 - std::pow(0.025, 1.0 / 30.0), 1e-12);
  const Interval all = clopper_pearson(30, 30, 0.95);
  EXPECT_NEAR(all.low, std::pow(0.025, 1.0 / 30.0), 1e-12);
  EXPECT_EQ(all.high, 1.0);
}

// Laplace noise of scale 1 on a sum that one person moves by `shift` is exactly shift-private.
std::vector<double> laplace(double shift, std::uint32_t run, std::size_t trials) {
  Stream draws(99, Purpose::generate_world, run, shift > 0.0 ? 1 : 0);
  std::vector<double> values;
  for (std::size_t n = 0; n < trials; ++n) {
    const double u = draws.uniform() - 0.5;
    values.push_back(shift - std::copysign(std::log(1.0 - 2.0 * std::abs(u)), u));
  }
  return values;
}

TEST(EpsilonBound, StaysBelowTheTrueEpsilonAndComesNearIt) {
  int above = 0;
  double sum = 0.0;
  constexpr int runs = 60;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const EpsilonBound bound = epsilon_lower_bound(laplace(1.0, run, 4000), laplace(0.0, run, 4000), 0.0);
    above += bound.epsilon > 1.0 ? 1 : 0;
    sum += bound.epsilon;
  }
  // At 95% three of sixty may fail; nine would happen once in five hundred such tests.
  EXPECT_LE(above, 8);
  EXPECT_GT(sum / runs, 0.7);
}

TEST(EpsilonBound, NothingIsShownWhereNothingDiffers) {
  EXPECT_LT(epsilon_lower_bound(laplace(0.0, 1, 1000), laplace(0.0, 2, 1000), 1e-5).epsilon, 0.3);
}

TEST(EpsilonBound, SeesThatThereIsNoNoise) {
  const std::vector<double> with(2000, 1.0), without(2000, 0.0);
  EXPECT_GT(epsilon_lower_bound(with, without, 1e-5).epsilon, 5.0);
}

}  // namespace sotto::privacy::epsilon_bound_test
