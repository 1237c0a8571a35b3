// How far the federation trusts a device, as somebody it trusts says.
#pragma once

#include "fed/criteria/criterion.h"

namespace sotto::fed {

inline constexpr CriterionKind trust_criterion{"trust",
                                               "TR",
                                               "the trust that was given to the device",
                                               "nothing about your data; how much the device is trusted",
                                               false,
                                               [](const DeviceFacts& facts) { return facts.trust; }};

}  // namespace sotto::fed
