// What a hostile member of a secure sum says instead of the truth: messages that decode and are wrong.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <string>

#include "base/layers.h"

namespace sotto::host {

// Letters that nobody can open, an input that is none, shares that were not dealt; anything else as it is.
[[nodiscard]] std::string lie_in_sum(v1::Phase phase, const std::string& message);

}  // namespace sotto::host
