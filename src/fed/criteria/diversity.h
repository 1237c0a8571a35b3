// How many of the classes or categories there are a device has seen (thesis: LD).
#pragma once

#include <algorithm>

#include "fed/criteria/criterion.h"

namespace sotto::fed {

inline constexpr CriterionKind diversity_criterion{
    "diversity",
    "LD",
    "classes or categories that occur, of all there are",
    "how many kinds of things you touch, not which",
    false,
    [](const DeviceFacts& facts) {
      if (facts.of_class.empty()) return 0.0;
      const auto seen = std::ranges::count_if(facts.of_class, [](std::uint32_t n) { return n > 0; });
      return static_cast<double>(seen) / static_cast<double>(facts.of_class.size());
    }};

}  // namespace sotto::fed
