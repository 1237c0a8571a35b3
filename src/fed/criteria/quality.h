// The share of the records that have a quality asked for, e.g. sharp pictures (thesis: IS).
#pragma once

#include "fed/criteria/criterion.h"

namespace sotto::fed {

inline constexpr CriterionKind quality_criterion{
    "quality",
    "IS",
    "share of the records with the quality asked for, e.g. sharpness",
    "what share of your records has the quality",
    false,
    [](const DeviceFacts& facts) {
      if (facts.records == 0) return 0.0;
      return static_cast<double>(facts.marked) / static_cast<double>(facts.records);
    }};

}  // namespace sotto::fed
