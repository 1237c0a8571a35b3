#include "privacy/dp/choice.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace sotto::privacy {

double choice_rdp(double epsilon, double order) {
  SOTTO_ASSERT(epsilon > 0.0 && order > 1.0, "an epsilon and an order above 1");
  return std::min(order * epsilon * epsilon / 8.0, epsilon);
}

double choice_between(double epsilon, double a, double b) {
  const double from = std::clamp(a, 0.0, 1.0), to = std::clamp(b, 0.0, 1.0);
  if (!(from < to)) return 0.0;
  return std::exp(-epsilon * from) * std::expm1(epsilon * (from - to)) / std::expm1(-epsilon);
}

}  // namespace sotto::privacy
