// A reproduction for the terminal, for programs, and as a table for other documents.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/results_sheet.h"
#include "engine/terminal/console.h"
#include "lab/reproduce/reproduction.h"

namespace sotto::cli {

// Tables of data that is here, findings, what is missing.
[[nodiscard]] std::string reproduction_text(const Reproduction& reproduction, const Console& console);
[[nodiscard]] nlohmann::json reproduction_json(const Reproduction& reproduction);
// One line a cell, of all tables.
[[nodiscard]] Sheet reproduction_cells(const Reproduction& reproduction);

}  // namespace sotto::cli
