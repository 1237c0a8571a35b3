// A split without one of its users: the place stays, so that everybody else keeps their index and their
// draws, but id and interactions are gone.
#pragma once

#include "data/split.h"

namespace sotto {

[[nodiscard]] Split without_user(const Split& split, UserIndex user);

}  // namespace sotto
