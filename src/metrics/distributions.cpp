#include "metrics/distributions.h"

#include <cmath>
#include <initializer_list>
#include <numbers>

namespace sotto::metrics {

namespace {

// The tail of Stirling's series for ln Γ(x), exact enough from 12 up.
double stirling_tail(double x) {
  const double r = 1.0 / (x * x);
  return (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)))) / x;
}

// ln Γ(a + b) − ln Γ(a) for a, b > 0, without the difference of two large numbers. Small a are moved up.
// (std::lgamma would write to a global.)
double log_gamma_step(double a, double b) {
  double below = 0.0;
  for (; a < 12.0; a += 1.0) below += std::log1p(b / a);
  return (a - 0.5) * std::log1p(b / a) + b * (std::log(a + b) - 1.0) + stirling_tail(a + b) -
         stirling_tail(a) - below;
}

// x^a · y^b / B(a, b) where y = 1 − x.
double beta_front(double a, double b, double x, double y) {
  if (a < b) return beta_front(b, a, y, x);
  const double log_x = y < 0.5 ? std::log1p(-y) : std::log(x);
  const double log_y = x < 0.5 ? std::log1p(-x) : std::log(y);
  const double log_gamma_b = log_gamma_step(1.0, b) - std::log(b);  // Γ(1 + b) / b
  return std::exp(log_gamma_step(a, b) - log_gamma_b + a * log_x + b * log_y);
}

// The continued fraction of I_x(a, b), by Lentz's method; it converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr int most_steps = 100'000;  // about √max(a, b) are needed
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
  double c = 1.0;
  double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double value = d;
  for (int step = 1; step < most_steps; ++step) {
    const double m = step;
    const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    double change = 1.0;
    for (const double term : {even, odd}) {
      d = 1.0 / away_from_zero(1.0 + term * d);
      c = away_from_zero(1.0 + term / c);
      change = c * d;
      value *= change;
    }
    if (std::fabs(change - 1.0) < 1e-16) break;
  }
  return value;
}

// I_x(a, b) where `y` is 1 − x, given apart because it may be too small to be had from x.
double beta_of(double a, double b, double x, double y) {
  if (x <= 0.0) return 0.0;
  if (y <= 0.0) return 1.0;
  const double front = beta_front(a, b, x, y);
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, y) / b;
}

}  // namespace

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double incomplete_beta(double a, double b, double x) { return beta_of(a, b, x, 1.0 - x); }

double student_two_sided(double t, double degrees) {
  if (std::isinf(t)) return 0.0;
  const double square = t * t;
  return beta_of(degrees / 2.0, 0.5, degrees / (degrees + square), square / (degrees + square));
}

double student_critical(double p, double degrees) {
  double low = 0.0;
  double high = 1.0;
  while (student_two_sided(high, degrees) > p && std::isfinite(high)) high *= 2.0;
  for (double middle = 0.5 * (low + high); low < middle && middle < high; middle = 0.5 * (low + high))
    (student_two_sided(middle, degrees) > p ? low : high) = middle;
  return high;
}

}  // namespace sotto::metrics
