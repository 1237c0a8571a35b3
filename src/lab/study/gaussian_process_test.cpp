#include "lab/study/gaussian_process.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "base/rng.h"

namespace sotto::lab {
namespace {

Eigen::MatrixXd some_points(Eigen::Index count, Eigen::Index sides) {
  Stream stream(5, Purpose::search_settings);
  Eigen::MatrixXd points(count, sides);
  for (Eigen::Index row = 0; row < count; ++row)
    for (Eigen::Index side = 0; side < sides; ++side) points(row, side) = stream.uniform();
  return points;
}

TEST(GaussianProcess, OnePointHasAClosedForm) {
  const Kernel kernel{.length = 0.5, .noise = 0.1};
  const GaussianProcess process(Eigen::MatrixXd::Constant(1, 1, 0.2), Eigen::VectorXd::Constant(1, 2.0),
                                kernel);
  const double k = covariance(kernel, 0.3);
  // Matérn 5/2 written out.
  const double r = std::sqrt(5.0) * 0.3 / 0.5;
  EXPECT_NEAR(k, (1 + r + r * r / 3) * std::exp(-r), 1e-15);
  const Posterior there = process.at(Eigen::VectorXd::Constant(1, 0.5));
  EXPECT_NEAR(there.mean, 2.0 * k / 1.1, 1e-12);
  EXPECT_NEAR(there.variance, 1.0 - k * k / 1.1, 1e-12);
  EXPECT_NEAR(process.log_likelihood(), -0.5 * 4.0 / 1.1 - 0.5 * std::log(1.1) - 0.5 * std::log(2 * M_PI),
              1e-12);
}

TEST(GaussianProcess, EqualsTheTextbookFormulaWithAnInverse) {
  const Kernel kernel{.length = 0.4, .noise = 1e-2};
  const Eigen::MatrixXd points = some_points(12, 3);
  const Eigen::VectorXd values = points.rowwise().sum().array().sin();
  Eigen::MatrixXd gram(12, 12);
  for (Eigen::Index a = 0; a < 12; ++a)
    for (Eigen::Index b = 0; b < 12; ++b)
      gram(a, b) = covariance(kernel, (points.row(a) - points.row(b)).norm()) + (a == b ? 1e-2 : 0.0);
  const Eigen::MatrixXd inverse = gram.inverse();
  const GaussianProcess process(points, values, kernel);
  const Eigen::MatrixXd others = some_points(20, 3);
  for (Eigen::Index row = 12; row < 20; ++row) {
    const Eigen::VectorXd place = others.row(row).transpose();
    Eigen::VectorXd near(12);
    for (Eigen::Index a = 0; a < 12; ++a)
      near(a) = covariance(kernel, (points.row(a).transpose() - place).norm());
    const Posterior posterior = process.at(place);
    EXPECT_NEAR(posterior.mean, near.dot(inverse * values), 1e-9);
    EXPECT_NEAR(posterior.variance, 1.0 - near.dot(inverse * near), 1e-9);
  }
  EXPECT_NEAR(
      process.log_likelihood(),
      -0.5 * values.dot(inverse * values) - 0.5 * std::log(gram.determinant()) - 6.0 * std::log(2 * M_PI),
      1e-8);
}

TEST(GaussianProcess, KnowsWhatItWasToldAndDoubtsWhatIsFar) {
  const Eigen::MatrixXd points = some_points(8, 2);
  const Eigen::VectorXd values = points.col(0) - points.col(1);
  const GaussianProcess process(points, values, {.length = 0.3, .noise = 1e-9});
  for (Eigen::Index row = 0; row < 8; ++row) {
    const Posterior known = process.at(points.row(row).transpose());
    EXPECT_NEAR(known.mean, values(row), 1e-5);
    EXPECT_LT(known.variance, 1e-6);
  }
  const Posterior far = process.at(Eigen::VectorXd::Constant(2, 50.0));
  EXPECT_NEAR(far.mean, 0.0, 1e-12);
  EXPECT_NEAR(far.variance, 1.0, 1e-12);
}

TEST(GaussianProcess, FittingFindsTheSmoothnessOfSmoothValues) {
  const Eigen::MatrixXd points = some_points(25, 1);
  const Eigen::VectorXd smooth = (points.col(0).array() * 2.0).sin();
  const Eigen::VectorXd rough = (points.col(0).array() * 60.0).sin();
  EXPECT_GT(GaussianProcess::fitted(points, smooth).kernel().length,
            GaussianProcess::fitted(points, rough).kernel().length);
}

TEST(GaussianProcess, ExpectedImprovementIsTheMeanOfTheGain) {
  // By the midpoint rule over the normal density.
  for (const double mean : {-1.0, 0.0, 0.7}) {
    const double sd = 0.6, best = 0.4;
    double expected = 0.0;
    constexpr int steps = 200000;
    for (int n = 0; n < steps; ++n) {
      const double z = -8.0 + 16.0 * (n + 0.5) / steps;
      const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI) * 16.0 / steps;
      expected += std::max(mean + sd * z - best, 0.0) * density;
    }
    EXPECT_NEAR(expected_improvement({mean, sd * sd}, best), expected, 1e-8);
  }
  EXPECT_EQ(expected_improvement({0.5, 0.0}, 0.2), 0.3);
  EXPECT_EQ(expected_improvement({0.1, 0.0}, 0.2), 0.0);
}

}  // namespace
}  // namespace sotto::lab
