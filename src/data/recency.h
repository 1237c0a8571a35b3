// Recency: how much each item of a history counts when somebody is recommended something.
//
// An item counts half as much as one that is `half_life` places newer: weight = 2^(−age / half_life). It is
// taken on the device, from the order of its own history; nobody else learns that order. Half-life 0, or a
// history without ages: everything counts 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.h"
#include "base/math.h"
#include "base/result.h"
#include "data/histories.h"

namespace sotto::data {

class Recency {
 public:
  explicit Recency(float half_life = 0.0f) {
    SOTTO_ASSERT(check(half_life).ok(), "the half-life was checked");
    if (half_life == 0.0f) return;
    // Beyond 2^-24 of the newest a weight no longer moves a sum of floats.
    const auto count = static_cast<std::size_t>(std::min(24.0f * half_life, float{Histories::most_age})) + 2;
    weights_.reserve(count);
    for (std::size_t age = 0; age < count; ++age)
      weights_.push_back(exp_f32(-0.693147181f * static_cast<float>(age) / half_life));
  }

  [[nodiscard]] static Status check(float half_life) {
    if (half_life >= 0.0f && std::isfinite(half_life)) return Done{};
    return fail(Code::usage,
                "the half-life of recency is a number of items, 0 or larger (0: age does not matter)");
  }

  // The weights of a row with these ages; none where everything counts 1.
  void weigh(std::span<const std::uint16_t> ages, std::vector<float>& out) const {
    out.clear();
    if (weights_.empty()) return;
    for (const std::uint16_t age : ages)
      out.push_back(weights_[std::min<std::size_t>(age, weights_.size() - 1)]);
  }

 private:
  std::vector<float> weights_;  // by age; the last one serves all older ones
};

}  // namespace sotto::data
