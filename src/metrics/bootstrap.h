// Bootstrap: how far a mean would move if other users had been drawn.
//
// Users are drawn anew with replacement, resample n from the stream (seed, n). Laws: the same bytes for any
// number of threads; an interval of values that are all alike is that value.
#pragma once

#include <cstdint>
#include <span>

#include "base/executor.h"
#include "metrics/statistics.h"

namespace sotto::metrics {

enum class BootstrapKind : std::uint8_t {
  percentile,  // quantiles of the resampled means
  bca,         // the same, corrected for bias and skewness (Efron 1987)
};

struct BootstrapOptions {
  BootstrapKind kind = BootstrapKind::bca;
  std::uint32_t resamples = 2000;
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

// An interval for the mean of at least one value; pass the differences of pairs for that of a difference.
[[nodiscard]] Interval bootstrap_mean(std::span<const double> values, const BootstrapOptions& options,
                                      Executor& executor);

}  // namespace sotto::metrics
