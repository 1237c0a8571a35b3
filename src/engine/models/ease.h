// What EASE is told beside λ and recency, in one place and on devices.
#pragma once

#include <cstdint>

#include "engine/plan/request.h"
#include "model/central/ease.h"

namespace sotto::engine {

struct EaseSettings {
  std::uint32_t dense_items = usual_dense_items;  // the most that are solved as one matrix
  float gram_power = 0.0f;                        // on devices: somebody with n items counts n^−power
};

}  // namespace sotto::engine
