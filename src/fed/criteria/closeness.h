// How near the trained model stays to the one received: 1/√(‖Θ − Θ_u‖ + 1) (thesis: MW).
#pragma once

#include <cmath>

#include "fed/criteria/criterion.h"

namespace sotto::fed {

inline constexpr CriterionKind closeness_criterion{
    "closeness",
    "MW",
    "1/√(1 + length of the update)",
    "how far your data pull the model: how unusual they are",
    true,
    [](const DeviceFacts& facts) { return 1.0 / std::sqrt(facts.distance + 1.0); }};

}  // namespace sotto::fed
