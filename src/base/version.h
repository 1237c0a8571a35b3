// The version of the program and of the device library, as they say it and as runs record it.
#pragma once

#include "base/layers.h"

namespace sotto::base {

inline constexpr const char* version = "0.1.0";

}  // namespace sotto::base
