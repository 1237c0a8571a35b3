#include "privacy/dp/laplace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace sotto::privacy {

namespace {

// ln E_Q[(P/Q)^k] for a change of ε scales, any k ≥ 0: ln(k/(2k − 1)·e^{(k−1)ε} + (k − 1)/(2k − 1)·e^{−kε}).
double log_laplace_moment(double epsilon, double k) {
  if (k == 0.0 || k == 1.0) return 0.0;
  // What is above 1, where that is all that counts; else by the larger term.
  if (k * epsilon < 1.0)
    return std::log1p((k * std::expm1((k - 1.0) * epsilon) + (k - 1.0) * std::expm1(-k * epsilon)) /
                      (2.0 * k - 1.0));
  return (k - 1.0) * epsilon + std::log(k / (2.0 * k - 1.0)) +
         std::log1p((k - 1.0) / k * std::exp(-(2.0 * k - 1.0) * epsilon));
}

// ln Σ C(n, k)(1 − q)^{n−k} q^k E[(P/Q)^k]: nothing cancels.
double log_sampled_moment_whole(double epsilon, double q, double order) {
  double top = -std::numeric_limits<double>::infinity(), sum = 0.0;
  for (double k = 0.0; k <= order; k += 1.0) {
    const double term = std::lgamma(order + 1.0) - std::lgamma(k + 1.0) - std::lgamma(order - k + 1.0) +
                        k * std::log(q) + (order - k) * std::log1p(-q) + log_laplace_moment(epsilon, k);
    if (term > top)
      sum = sum * std::exp(top - term) + 1.0, top = term;
    else
      sum += std::exp(term - top);
  }
  return top + std::log(sum);
}

// Gauss and Legendre's eight points on [−1, 1]: ± these, with these weights.
constexpr std::array<double, 4> gauss_places{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                             0.9602898564975363};
constexpr std::array<double, 4> gauss_weights{0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                              0.1012285362903763};

// The same at any order. With r = 1 − q + q·P/Q, whose mean is 1, the moment is 1 + E[r^α − 1 − α(r − 1)]: no
// term is below 0. The loss is −ε with chance 1/2, ε with e^−ε/2, and 2v − ε with density e^−v/2 between.
double log_sampled_moment_real(double epsilon, double q, double order) {
  const auto above = [&](double loss) {
    const double ratio = q * std::expm1(loss);  // r − 1
    return std::max(std::expm1(order * std::log1p(ratio)) - order * ratio, 0.0);
  };
  double sum = 0.5 * above(-epsilon) + 0.5 * std::exp(-epsilon) * above(epsilon);
  // The integrand is smooth within π/2 and grows as e^{2αv}: on such cells eight points are at most
  // 4¹⁶·8!⁴/(17·16!³)·4 < 3e-13 of it below it, which is added.
  const double cells = std::ceil(epsilon / std::min(0.5, 2.0 / order));
  const double half = epsilon / cells / 2.0;
  for (double cell = 0.0; cell < cells; cell += 1.0) {
    const double middle = (2.0 * cell + 1.0) * half;
    for (std::size_t n = 0; n < gauss_places.size(); ++n)
      for (const double side : {-1.0, 1.0}) {
        const double v = middle + side * gauss_places[n] * half;
        sum += 0.5 * half * gauss_weights[n] * std::exp(-v) * above(2.0 * v - epsilon);
      }
  }
  return std::log1p(sum * (1.0 + 1e-12));
}

}  // namespace

double laplace_pure(double noise, double sampling) {
  const double epsilon = 1.0 / noise;
  if (sampling >= 1.0) return epsilon;
  if (epsilon < 1.0) return std::log1p(sampling * std::expm1(epsilon));
  return epsilon + std::log(sampling + (1.0 - sampling) * std::exp(-epsilon));
}

double laplace_rdp(double noise, double sampling, double order) {
  SOTTO_ASSERT(noise > 0.0 && sampling > 0.0 && order > 1.0, "noise, a rate and an order above 1");
  const double epsilon = 1.0 / noise, pure = laplace_pure(noise, sampling);
  const bool whole = order == std::floor(order);
  double moment = 0.0;
  if (sampling >= 1.0)
    moment = log_laplace_moment(epsilon, order);
  else if (whole)
    moment = log_sampled_moment_whole(epsilon, sampling, order);
  else if (order * epsilon < 600.0)
    moment = log_sampled_moment_real(epsilon, sampling, order);
  else
    return pure;  // e^{αε} would not fit a double; no divergence is larger than this
  return std::clamp(moment / (order - 1.0), 0.0, pure);
}

}  // namespace sotto::privacy
