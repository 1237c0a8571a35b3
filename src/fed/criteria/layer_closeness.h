// Closeness by the mean of the layers' lengths, as the code of the thesis' authors has it.
#pragma once

#include <cmath>

#include "fed/criteria/criterion.h"

namespace sotto::fed {

inline constexpr CriterionKind layer_closeness_criterion{
    "layer-closeness",
    "MWL",
    "1/√(1 + mean length of the layers' updates)",
    "how far your data pull the model: how unusual they are",
    true,
    [](const DeviceFacts& facts) { return 1.0 / std::sqrt(facts.layer_distance + 1.0); }};

}  // namespace sotto::fed
