// What a hostile device says in the open instead of the truth: contributions that decode, and are of no
// honest device. Which of them a model can tell, and which it can only bound, is the model's.
#pragma once

#include <string>

#include "host/fleet/fleet_draws.h"

namespace sotto::host {

// A contribution to a plain sum, packed. One that does not decode, a piece of a long one, stays as it is.
[[nodiscard]] std::string lie_in_contribution(const std::string& packed, FleetDraws& draws);

}  // namespace sotto::host
