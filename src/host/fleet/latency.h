// Latency: how long many things took, in a fixed amount of memory: buckets that grow by the 16th root of two,
// so that a percentile is at most 4.5 percent above the truth.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/layers.h"

namespace sotto::host {

class Latency {
 public:
  void add(double milliseconds) {
    const double steps = 16.0 * std::log2(std::max(milliseconds, least_ms) / least_ms);
    ++buckets_[std::min(static_cast<std::size_t>(steps), buckets_.size() - 1)];
    ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // What the given share took at most; 0 where nothing was measured.
  [[nodiscard]] double percentile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t n = 0; n < buckets_.size() && count_ > 0; ++n)
      if ((seen += buckets_[n]) >= std::max<std::uint64_t>(wanted, 1))
        return least_ms * std::exp2(static_cast<double>(n + 1) / 16.0);
    return 0.0;
  }

 private:
  static constexpr double least_ms = 0.01;
  std::array<std::uint64_t, 512> buckets_{};  // up to 12 hours
  std::uint64_t count_ = 0;
};

}  // namespace sotto::host
