// The summary of a classifier's training by federated averaging, for the terminal.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/terminal/console.h"

namespace sotto::cli {

// What outcome_json() (engine/averaging) says, for people.
[[nodiscard]] std::string averaging_text(const nlohmann::json& summary, const Console& console);

}  // namespace sotto::cli
