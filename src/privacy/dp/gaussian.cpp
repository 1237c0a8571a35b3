#include "privacy/dp/gaussian.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "privacy/dp/normal.h"

namespace sotto::privacy {

namespace {

// The x in [low, high] where `holds` turns from false to true, from above.
template <class Holds>
double first_holding(double low, double high, Holds holds) {
  for (int step = 0; step < 200 && low < high; ++step) {
    const double middle = low + (high - low) / 2.0;
    if (middle <= low || middle >= high) break;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

double gaussian_delta(double noise, double epsilon) {
  SOTTO_ASSERT(noise > 0.0 && epsilon >= 0.0, "noise above 0");
  const double half = 0.5 / noise, shift = epsilon * noise;
  const double reached = normal_below(half - shift);
  const double rest = normal_below(-half - shift);
  // e^ε may be huge where the rest is nothing.
  return std::max(reached - (rest > 0.0 ? std::exp(epsilon + std::log(rest)) : 0.0), 0.0);
}

double gaussian_epsilon(double noise, double delta) {
  if (gaussian_delta(noise, 0.0) <= delta) return 0.0;
  double high = 1.0;
  while (gaussian_delta(noise, high) > delta) high *= 2.0;
  return first_holding(0.0, high, [&](double epsilon) { return gaussian_delta(noise, epsilon) <= delta; });
}

double gaussian_noise(double epsilon, double delta) {
  double high = 1.0;
  while (gaussian_delta(high, epsilon) > delta) high *= 2.0;
  return first_holding(1e-9, high, [&](double noise) { return gaussian_delta(noise, epsilon) <= delta; });
}

}  // namespace sotto::privacy
