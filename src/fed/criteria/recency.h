// How long a device has not been heard: who was away longest counts most.
#pragma once

#include "fed/criteria/criterion.h"

namespace sotto::fed {

inline constexpr CriterionKind recency_criterion{"recency",
                                                 "RC",
                                                 "(n + 1)/(n + 11) after n rounds without a contribution",
                                                 "when you last took part, which the server may know anyway",
                                                 false,
                                                 [](const DeviceFacts& facts) {
                                                   const double rounds = facts.rounds_since;
                                                   return (rounds + 1.0) / (rounds + 11.0);
                                                 }};

}  // namespace sotto::fed
