// How evenly the classes are held: the rarest over the most frequent (thesis eq. 5.8: CB).
#pragma once

#include <algorithm>

#include "fed/criteria/criterion.h"

namespace sotto::fed {

inline constexpr CriterionKind balance_criterion{
    "balance",
    "CB",
    "records of the rarest class over those of the most frequent",
    "how lopsided what you have is",
    false,
    [](const DeviceFacts& facts) {
      if (facts.of_class.empty()) return 0.0;
      const auto [least, most] = std::ranges::minmax(facts.of_class);
      return most == 0 ? 0.0 : static_cast<double>(least) / static_cast<double>(most);
    }};

}  // namespace sotto::fed
