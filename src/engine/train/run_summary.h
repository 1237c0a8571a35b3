// What readers of run.json count on.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sotto {

// The first field that is missing or of another kind, or "".
[[nodiscard]] std::string wrong_field(const nlohmann::json& json);

}  // namespace sotto
