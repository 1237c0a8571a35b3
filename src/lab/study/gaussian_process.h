// A Gaussian process: what a smooth unknown function is worth where nobody looked, and how sure that is
// (Rasmussen and Williams 2006, algorithm 2.1).
//
// The kernel is Matérn 5/2 of variance 1 over the distance divided by `length`; observations have the
// variance `noise` on top. Prior mean 0: values are best brought to mean 0 and variance 1 before.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "base/layers.h"

namespace sotto::lab {

struct Kernel {
  double length = 0.3;
  double noise = 1e-4;
};

[[nodiscard]] double covariance(const Kernel& kernel, double distance);

struct Posterior {
  double mean = 0.0;
  double variance = 0.0;  // of the function itself, without the noise
};

class GaussianProcess {
 public:
  // One row a point.
  GaussianProcess(Eigen::MatrixXd points, Eigen::VectorXd values, const Kernel& kernel);
  // With the kernel, out of a fixed list, under which the values are most likely.
  [[nodiscard]] static GaussianProcess fitted(const Eigen::MatrixXd& points, const Eigen::VectorXd& values);

  [[nodiscard]] Posterior at(const Eigen::VectorXd& point) const;
  [[nodiscard]] double log_likelihood() const;
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

 private:
  Kernel kernel_;
  Eigen::MatrixXd points_;
  Eigen::VectorXd values_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd weights_;  // K⁻¹ y
};

// E[max(f − best, 0)] for f with this posterior.
[[nodiscard]] double expected_improvement(const Posterior& posterior, double best);

}  // namespace sotto::lab
