// How far predicted ratings lie from the given ones. Both spans have the same length, at least 1.
#pragma once

#include <span>

#include "base/layers.h"

namespace sotto::metrics {

// Mean absolute error.
[[nodiscard]] double mean_absolute_error(std::span<const float> predicted, std::span<const float> truth);
// Root of the mean squared error.
[[nodiscard]] double root_mean_squared_error(std::span<const float> predicted, std::span<const float> truth);

}  // namespace sotto::metrics
