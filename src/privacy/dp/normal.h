// The normal distribution as accounting needs it.
#pragma once

#include <cmath>
#include <numbers>

#include "base/layers.h"

namespace sotto::privacy {

// The chance that a standard normal lies below x, exact in its left tail.
[[nodiscard]] inline double normal_below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

}  // namespace sotto::privacy
