// What iALS, federated ALS and FCF are told beside factors, epochs, λ and seed, and their options as the
// models take them.
#pragma once

#include <optional>

#include "engine/plan/request.h"
#include "model/als.h"

namespace sotto::engine {

struct AlsSettings {
  std::optional<float> confidence;  // α; none: the model's own
  float reg_power = 0.0f;           // ν; not FCF's
};

[[nodiscard]] AlsOptions als_options(const TrainRequest& request);  // iALS, federated ALS, the devices of FCF

}  // namespace sotto::engine
