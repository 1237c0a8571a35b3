// What readers of run.json count on.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/layers.h"

namespace sotto::engine {

// The first field that is missing or of another kind, or "".
[[nodiscard]] std::string wrong_field(const nlohmann::json& json);

}  // namespace sotto::engine
