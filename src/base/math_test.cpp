#include "base/math.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace sotto::base::math_test {

double relative_error(double value, double truth) { return std::fabs(value - truth) / std::fabs(truth); }

TEST(Math, ExpIsCloseToTheTruth) {
  double worst = 0.0;
  for (int k = -870'000; k <= 870'000; ++k) {
    const float x = static_cast<float>(k) * 1e-4f;
    worst = std::max(worst, relative_error(exp_f32(x), std::exp(static_cast<double>(x))));
  }
  EXPECT_LT(worst, 2e-7);
  EXPECT_EQ(exp_f32(0.0f), 1.0f);
}

TEST(Math, ExpStaysANormalNumberFarOut) {
  for (const float x : {87.0f, 88.0f, 1e3f, 3e38f}) EXPECT_EQ(exp_f32(x), exp_f32(87.0f));
  for (const float x : {-87.0f, -88.0f, -1e3f, -3e38f}) EXPECT_EQ(exp_f32(x), exp_f32(-87.0f));
  EXPECT_TRUE(std::isnormal(exp_f32(87.0f)));
  EXPECT_TRUE(std::isnormal(exp_f32(-87.0f)));
}

TEST(Math, SigmoidIsCloseToTheTruth) {
  double worst = 0.0;
  for (int k = -80'000; k <= 80'000; ++k) {
    const float x = static_cast<float>(k) * 1e-3f;
    worst = std::max(worst, relative_error(sigmoid_f32(x), 1.0 / (1.0 + std::exp(-static_cast<double>(x)))));
  }
  EXPECT_LT(worst, 4e-7);
  EXPECT_EQ(sigmoid_f32(0.0f), 0.5f);
  EXPECT_EQ(sigmoid_f32(1e30f), 1.0f);
  EXPECT_GT(sigmoid_f32(-1e30f), 0.0f);
}

TEST(Math, LogIsCloseToTheTruth) {
  Stream stream(1, Purpose::generate_world);
  for (int n = 0; n < 200'000; ++n) {
    const double x = std::ldexp(0.5 + stream.uniform(), static_cast<int>(stream.below(2000)) - 1000);
    const double truth = std::log(x);
    // Near 1 the logarithm goes through 0: there the error is measured against x − 1.
    ASSERT_NEAR(log_f64(x), truth, 1e-15 * std::max(std::fabs(truth), std::fabs(x - 1.0) * 2)) << x;
  }
  EXPECT_EQ(log_f64(1.0), 0.0);
  EXPECT_NEAR(log_f64(2.718281828459045), 1.0, 1e-15);
}

TEST(Math, LogOfAFloatIsCloseToTheTruth) {
  Stream stream(2, Purpose::generate_world);
  for (int n = 0; n < 200'000; ++n) {
    const auto x =
        static_cast<float>(std::ldexp(0.5 + stream.uniform(), static_cast<int>(stream.below(180)) - 90));
    const double truth = std::log(static_cast<double>(x));
    ASSERT_NEAR(static_cast<double>(log_f32(x)), truth, 2e-7 * (1.0 + std::fabs(truth))) << x;
  }
  EXPECT_EQ(log_f32(1.0f), 0.0f);
}

TEST(Math, NormalQuantileInvertsTheDistribution) {
  const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (int k = -592; k <= 128; ++k) {
    const double x = k / 16.0;
    // Back from p to x: the error of p (1 ulp) grows by p / φ(x).
    const double p = cdf(x);
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
    const double room = 4e-16 * p / density + 4e-15 * (std::fabs(x) + 1e-3);
    EXPECT_NEAR(normal_quantile(p), x, room) << x;
  }
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
}

TEST(Math, NormalQuantileIsFiniteAtTheEndsThatStreamsReach) {
  EXPECT_NEAR(normal_quantile(0x1.0p-53), -8.2095361516, 1e-9);
  EXPECT_NEAR(normal_quantile(1.0 - 0x1.0p-53), 8.2095361516, 1e-9);
}

}  // namespace sotto::base::math_test
