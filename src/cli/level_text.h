// How good the lists of people are by the level of consent they drew (engine/train/levels_json.h), as a
// table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/terminal/console.h"

namespace sotto::cli {

[[nodiscard]] std::string levels_text(const nlohmann::json& levels, const Console& console);

}  // namespace sotto::cli
