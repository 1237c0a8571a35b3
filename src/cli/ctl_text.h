// A coordinator's answers to its operator, for the terminal.
//
// Law: what an operator has to read to its end, such as why a round failed, is never cut.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "data/ids.h"
#include "engine/terminal/console.h"
#include "fed/models/task.h"

namespace sotto::cli {

[[nodiscard]] std::string status_text(const nlohmann::ordered_json& answer, const Console& console);
// Below it why a task ended, what its privacy has cost, and what to do about a version on trial.
[[nodiscard]] std::string task_table(const nlohmann::ordered_json& tasks, const Console& console);
// Below it, a line for each round that has something to say: why it was given up.
[[nodiscard]] std::string round_table(const nlohmann::ordered_json& rounds, const Console& console);
// Below it, where devices judged versions, how good their lists were.
[[nodiscard]] std::string version_table(const nlohmann::ordered_json& versions, const Console& console);
// Below it, what sums showed about devices.
[[nodiscard]] std::string device_table(const nlohmann::ordered_json& devices, const Console& console);

// A version's shared rows with tabs between: each by its item, where rows are items' (without names: by its
// number), and else by its place. `has_factors`: the last number is a bias.
[[nodiscard]] Result<std::string> model_table(const RowMatrix& rows, const Task& task, const IdTable& names,
                                              bool has_factors);

}  // namespace sotto::cli
