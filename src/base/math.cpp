#include "base/math.h"

#include <cmath>

#include "base/rng.h"

namespace sotto::base {

double log_f64(double x) {
  // ln x = e·ln 2 + 2·atanh(s), s = (m−1)/(m+1), |s| < 0.172, by the odd series.
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1023;
  double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
  const bool upper = m > 1.4142135623730951;  // a coin toss: no branch on it
  m = upper ? m * 0.5 : m;
  exponent += upper ? 1 : 0;
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double series = 0.0;
  for (int k = 23; k >= 3; k -= 2) series = (series + 1.0 / k) * s2;
  return static_cast<double>(exponent) * 0.6931471805599453 + 2.0 * (s + s * series);
}

namespace {

// Value of a polynomial, coefficients from the highest power down.
template <std::size_t N>
double polynomial(const double (&coefficients)[N], double x) {
  double value = 0.0;
  for (const double c : coefficients) value = value * x + c;
  return value;
}

}  // namespace

double normal_quantile(double p) {
  static constexpr double a[] = {2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
                                 4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
                                 1.3314166789178437745e2, 3.3871328727963666080e0};
  static constexpr double b[] = {
      5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
      5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0};
  static constexpr double c[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                                 2.41780725177450611770e-1, 1.27045825245236838258e0,
                                 3.64784832476320460504e0,  5.76949722146069140550e0,
                                 4.63033784615654529590e0,  1.42343711074968357734e0};
  static constexpr double d[] = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                 1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                 6.89767334985100004550e-1, 1.67638483018380384940e0,
                                 2.05319162663775882187e0,  1.0};
  static constexpr double e[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                                 1.24266094738807843860e-3, 2.65321895265761230930e-2,
                                 2.96560571828504891230e-1, 1.78482653991729133580e0,
                                 5.46378491116411436990e0,  6.65790464350110377720e0};
  static constexpr double f[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                 1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                 1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                 5.99832206555887937690e-1,  1.0};
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  double r = std::sqrt(-log_f64(q < 0 ? p : 1.0 - p));
  double x = 0.0;
  if (r <= 5.0) {
    r -= 1.6;
    x = polynomial(c, r) / polynomial(d, r);
  } else {
    r -= 5.0;
    x = polynomial(e, r) / polynomial(f, r);
  }
  return q < 0 ? -x : x;
}

double Stream::normal() {
  // The middle of one of 2^52 equal cells, which a double holds exactly: never 0, never 1.
  const double p = (static_cast<double>(next_u64() >> 12) + 0.5) * 0x1.0p-52;
  return normal_quantile(p);
}

}  // namespace sotto::base
