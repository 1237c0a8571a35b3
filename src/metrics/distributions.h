// The distributions that tests of significance look up: normal and Student's t.
// Law: absolute error below 1e-12 for few degrees of freedom, 1e-10 up to a million.
#pragma once

#include "base/layers.h"

namespace sotto::metrics {

// Φ(x).
[[nodiscard]] double normal_cdf(double x);

// I_x(a, b), the regularised incomplete beta function; a, b > 0, 0 ≤ x ≤ 1.
[[nodiscard]] double incomplete_beta(double a, double b, double x);

// The chance that |T| ≥ |t| for T with so many degrees of freedom (> 0); t may be infinite.
[[nodiscard]] double student_two_sided(double t, double degrees);

// The t that |T| passes with chance `p` (0 < p < 1): 2.228 for p = 0.05 and 10 degrees.
[[nodiscard]] double student_critical(double p, double degrees);

}  // namespace sotto::metrics
