// The k nearest of many, as they are offered one by one.
//
// Law: those kept, and their order (likeness descending, index ascending), do not depend on the order of
// the offers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/plain.h"

namespace sotto::model {

struct Neighbor {
  std::uint32_t index = 0;
  float likeness = 0.0f;
  bool operator==(const Neighbor&) const = default;
};

}  // namespace sotto::model

template <>
inline constexpr bool sotto::base::codec_plain<sotto::model::Neighbor> = true;

namespace sotto::model {

inline bool nearer(const Neighbor& a, const Neighbor& b) {
  return a.likeness > b.likeness || (a.likeness == b.likeness && a.index < b.index);
}

// The k nearest, in no order; the last one is the farthest.
inline void cut_to_nearest(std::vector<Neighbor>& found, std::size_t k) {
  if (found.size() <= k) return;
  std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(k) - 1, found.end(), nearer);
  found.resize(k);
}

inline void keep_nearest(std::vector<Neighbor>& found, std::size_t k) {
  cut_to_nearest(found, k);
  std::sort(found.begin(), found.end(), nearer);
}

// The nearest of one row among those offered.
class Nearest {
 public:
  explicit Nearest(std::size_t k) : k_(k) {}
  // Likeness that a row must reach.
  [[nodiscard]] float threshold() const { return threshold_; }
  void offer(std::uint32_t index, float likeness) {
    if (likeness < threshold_) return;
    found_.push_back({index, likeness});
    if (found_.size() < 4 * k_) return;
    cut_to_nearest(found_, k_);
    threshold_ = found_.back().likeness;
  }
  [[nodiscard]] std::span<const Neighbor> finish() {
    keep_nearest(found_, k_);
    return found_;
  }
  void clear() {
    found_.clear();
    threshold_ = 0.0f;
  }

 private:
  std::size_t k_;
  float threshold_ = 0.0f;
  std::vector<Neighbor> found_;
};

}  // namespace sotto::model
