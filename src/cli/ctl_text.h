// A coordinator's answers to its operator, for the terminal.
//
// Law: what an operator has to read to its end, such as why a round failed, is never cut.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/terminal/console.h"

namespace sotto::cli {

[[nodiscard]] std::string status_text(const nlohmann::ordered_json& answer, const Console& console);
// Below it why a task ended, what its privacy has cost, and what to do about a version on trial.
[[nodiscard]] std::string task_table(const nlohmann::ordered_json& tasks, const Console& console);
// Below it, a line for each round that has something to say: why it was given up.
[[nodiscard]] std::string round_table(const nlohmann::ordered_json& rounds, const Console& console);
// Below it, where devices judged versions, how good their lists were.
[[nodiscard]] std::string version_table(const nlohmann::ordered_json& versions, const Console& console);
// Below it, what secure sums showed about devices.
[[nodiscard]] std::string device_table(const nlohmann::ordered_json& devices, const Console& console);

}  // namespace sotto::cli
