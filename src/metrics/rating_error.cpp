#include "metrics/rating_error.h"

#include <cmath>

#include "base/assert.h"

namespace sotto::metrics {

double mean_absolute_error(std::span<const float> predicted, std::span<const float> truth) {
  SOTTO_ASSERT(predicted.size() == truth.size() && !truth.empty(), "each prediction has its truth");
  double sum = 0.0;
  for (std::size_t n = 0; n < truth.size(); ++n)
    sum += std::fabs(static_cast<double>(predicted[n]) - static_cast<double>(truth[n]));
  return sum / static_cast<double>(truth.size());
}

double root_mean_squared_error(std::span<const float> predicted, std::span<const float> truth) {
  SOTTO_ASSERT(predicted.size() == truth.size() && !truth.empty(), "each prediction has its truth");
  double sum = 0.0;
  for (std::size_t n = 0; n < truth.size(); ++n) {
    const double difference = static_cast<double>(predicted[n]) - static_cast<double>(truth[n]);
    sum += difference * difference;
  }
  return std::sqrt(sum / static_cast<double>(truth.size()));
}

}  // namespace sotto::metrics
