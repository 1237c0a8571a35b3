#include "lab/study/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "metrics/distributions.h"

namespace sotto::lab {

double covariance(const Kernel& kernel, double distance) {
  const double scaled = std::sqrt(5.0) * distance / kernel.length;
  return (1.0 + scaled + scaled * scaled / 3.0) * std::exp(-scaled);
}

GaussianProcess::GaussianProcess(Eigen::MatrixXd points, Eigen::VectorXd values, const Kernel& kernel)
    : kernel_(kernel), points_(std::move(points)), values_(std::move(values)) {
  const Eigen::Index count = points_.rows();
  Eigen::MatrixXd gram(count, count);
  for (Eigen::Index a = 0; a < count; ++a)
    for (Eigen::Index b = 0; b < count; ++b)
      gram(a, b) = covariance(kernel_, (points_.row(a) - points_.row(b)).norm());
  gram.diagonal().array() += kernel_.noise;
  factor_.compute(gram);
  weights_ = factor_.solve(values_);
}

GaussianProcess GaussianProcess::fitted(const Eigen::MatrixXd& points, const Eigen::VectorXd& values) {
  std::optional<GaussianProcess> best;
  for (const double length : {0.1, 0.2, 0.35, 0.6, 1.0, 2.0})
    for (const double noise : {1e-6, 1e-3, 1e-2, 1e-1}) {
      GaussianProcess process(points, values, {length, noise});
      if (!best || process.log_likelihood() > best->log_likelihood()) best.emplace(std::move(process));
    }
  return std::move(*best);
}

Posterior GaussianProcess::at(const Eigen::VectorXd& point) const {
  Eigen::VectorXd to_known(points_.rows());
  for (Eigen::Index row = 0; row < points_.rows(); ++row)
    to_known(row) = covariance(kernel_, (points_.row(row).transpose() - point).norm());
  const Eigen::VectorXd solved = factor_.matrixL().solve(to_known);
  return {to_known.dot(weights_), std::max(1.0 - solved.squaredNorm(), 0.0)};
}

double GaussianProcess::log_likelihood() const {
  double half_log_determinant = 0.0;
  for (Eigen::Index row = 0; row < points_.rows(); ++row)
    half_log_determinant += std::log(factor_.matrixLLT()(row, row));
  return -0.5 * values_.dot(weights_) - half_log_determinant -
         0.5 * static_cast<double>(points_.rows()) * std::log(2.0 * std::numbers::pi);
}

double expected_improvement(const Posterior& posterior, double best) {
  const double sd = std::sqrt(posterior.variance);
  const double gain = posterior.mean - best;
  if (sd <= 0.0) return std::max(gain, 0.0);
  const double z = gain / sd;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
  return gain * normal_cdf(z) + sd * density;
}

}  // namespace sotto::lab
