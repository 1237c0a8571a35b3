// Runs and evaluations as text for a person.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "data/split.h"
#include "engine/terminal/console.h"
#include "engine/terminal/table.h"

namespace sotto::cli {

// run.json: data, model, metrics, cost.
[[nodiscard]] std::string summary_text(const nlohmann::json& summary, const Console& console);

// The metrics {"P@10": …} as a table, one column a cut-off.
[[nodiscard]] std::string metrics_text(const nlohmann::json& metrics, const Console& console);

// "0.0123", or "n/a" for what is not a number.
[[nodiscard]] std::string metric_cell(const std::string& name, const nlohmann::json& value);

// What people call an item: its name where it has one, else its id.
[[nodiscard]] std::string item_title(const Split& split, ItemIndex item);
[[nodiscard]] std::string item_category(const Split& split, ItemIndex item);
// {"item": id} with name and category where known.
[[nodiscard]] nlohmann::json item_json(const Split& split, ItemIndex item);

}  // namespace sotto::cli
