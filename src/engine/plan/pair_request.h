// PairRequest: of which items a federation sums pairs, and what that may cost a device.
#pragma once

#include <cstdint>
#include <optional>

#include "base/layers.h"

namespace sotto::engine {

struct PairRequest {
  std::optional<std::uint32_t> items;  // the most popular ones, found by a first sum; none: all
  std::uint64_t bytes = 32'000'000;    // up per device, at most, where the sum is protected
};

}  // namespace sotto::engine
