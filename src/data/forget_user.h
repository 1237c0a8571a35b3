// A split without one of its users: the place stays, so that everybody else keeps their index and their
// draws, but id and interactions are gone, with their records and contexts. (The name of a value that nobody
// else had stays, as such an item does.)
#pragma once

#include "data/split.h"

namespace sotto::data {

[[nodiscard]] Split without_user(const Split& split, UserIndex user);
// Whether somebody was taken out of it. How many people and interactions there were is not kept, so a plan
// in rounds that was made before does not follow from it any more.
[[nodiscard]] bool has_forgotten(const Split& split);

}  // namespace sotto::data
