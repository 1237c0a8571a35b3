// A comparison as text: for a terminal, for other programs, for a paper.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/results_sheet.h"
#include "engine/terminal/console.h"
#include "lab/comparison.h"

namespace sotto::cli {

// All formats but JSON: the table and, where they were asked for, the pairs below it.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, SheetFormat format,
                                          const Console& console);
[[nodiscard]] nlohmann::json comparison_json(const Comparison& comparison);

}  // namespace sotto::cli
