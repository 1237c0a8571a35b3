// Whether scores are numbers: a model that diverged is told from one that ranks.
#pragma once

#include <span>

#include "base/layers.h"

namespace sotto::model {

[[nodiscard]] inline bool all_finite(std::span<const float> scores) {
  // x − x is 0 for a finite x and not a number otherwise.
  bool finite = true;
  for (const float score : scores) finite &= score - score == 0.0f;
  return finite;
}

}  // namespace sotto::model
