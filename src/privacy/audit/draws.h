// The audit's own random streams (base/rng.h).
#pragma once

#include "base/rng.h"

namespace sotto {

inline constexpr Purpose audit_groups{90};
inline constexpr Purpose audit_null{91};
inline constexpr Purpose audit_people{92};

}  // namespace sotto
