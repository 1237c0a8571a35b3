// How far from the most popular things a history is: the mean of 1 − popularity of its items.
#pragma once

#include "fed/criteria/criterion.h"

namespace sotto::fed {

inline constexpr CriterionKind novelty_criterion{"novelty",
                                                 "NV",
                                                 "mean of 1 − popularity of the items",
                                                 "how unusual your taste is, not what it is",
                                                 false,
                                                 [](const DeviceFacts& facts) { return facts.rarity; }};

}  // namespace sotto::fed
