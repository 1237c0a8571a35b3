#include "metrics/distributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace sotto::metrics::distributions_test {

TEST(Distributions, StudentsTableInEveryTextbook) {
  struct Line {
    double degrees, five_percent, one_percent;
  };
  for (const Line& line :
       {Line{1, 12.706, 63.657}, Line{2, 4.303, 9.925}, Line{5, 2.571, 4.032}, Line{10, 2.228, 3.169},
        Line{20, 2.086, 2.845}, Line{30, 2.042, 2.750}, Line{60, 2.000, 2.660}, Line{120, 1.980, 2.617}}) {
    EXPECT_NEAR(student_critical(0.05, line.degrees), line.five_percent, 5e-4) << line.degrees;
    EXPECT_NEAR(student_critical(0.01, line.degrees), line.one_percent, 5e-4) << line.degrees;
  }
}

TEST(Distributions, OneAndTwoDegreesHaveClosedForms) {
  for (const double t : {0.0, 1e-9, 0.3, 1.0, 2.5, 40.0, -2.5, 1e6}) {
    const double size = std::fabs(t);
    EXPECT_NEAR(student_two_sided(t, 1.0), 1.0 - 2.0 / std::numbers::pi * std::atan(size), 1e-12) << t;
    EXPECT_NEAR(student_two_sided(t, 2.0), 1.0 - size / std::sqrt(2.0 + size * size), 1e-12) << t;
  }
  EXPECT_EQ(student_two_sided(std::numeric_limits<double>::infinity(), 3.0), 0.0);
}

// Simpson's rule over the density.
double slow_two_sided(double t, double degrees) {
  const double front = std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) /
                       std::sqrt(degrees * std::numbers::pi);
  const auto density = [&](double x) {
    return front * std::exp(-(degrees + 1) / 2 * std::log1p(x * x / degrees));
  };
  constexpr int steps = 20'000;
  double sum = density(0.0) + density(t);
  for (int n = 1; n < steps; ++n) sum += (n % 2 == 1 ? 4.0 : 2.0) * density(t * n / steps);
  return 1.0 - 2.0 * sum * t / steps / 3.0;
}

TEST(Distributions, AgreesWithTheIntegralOfTheDensity) {
  for (const double degrees : {3.0, 9.0, 47.0, 942.0, 6039.0, 29857.0})
    for (const double t : {0.01, 0.7, 1.96, 3.3})
      EXPECT_NEAR(student_two_sided(t, degrees), slow_two_sided(t, degrees), degrees < 100 ? 1e-12 : 1e-10)
          << degrees << ' ' << t;
}

TEST(Distributions, IncompleteBetaOfWholeNumbersIsABinomialTail) {
  for (int a = 1; a < 8; ++a)
    for (int b = 1; b < 8; ++b)
      for (const double x : {0.0, 0.1, 0.5, 0.93, 1.0}) {
        double tail = 0.0;
        const int n = a + b - 1;
        for (int k = a; k <= n; ++k)
          tail += std::tgamma(n + 1) / std::tgamma(k + 1) / std::tgamma(n - k + 1) * std::pow(x, k) *
                  std::pow(1 - x, n - k);
        EXPECT_NEAR(incomplete_beta(a, b, x), tail, 1e-12) << a << ' ' << b << ' ' << x;
      }
}

TEST(Distributions, TheNormalCurve) {
  EXPECT_DOUBLE_EQ(normal_cdf(0.0), 0.5);
  EXPECT_NEAR(normal_cdf(1.959963984540054), 0.975, 1e-15);
  EXPECT_NEAR(normal_cdf(-2.3263478740408408), 0.01, 1e-15);
  // Many degrees: the normal curve and the first term of the expansion in 1/ν.
  const double density = std::exp(-2.0) / std::sqrt(2.0 * std::numbers::pi);
  EXPECT_NEAR(student_two_sided(2.0, 1e6), 2.0 * normal_cdf(-2.0) + density * (8.0 + 2.0) / (2.0 * 1e6),
              2e-11);
}

}  // namespace sotto::metrics::distributions_test
