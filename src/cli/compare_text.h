// A comparison as text: for a terminal, for other programs, for a paper.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/terminal/console.h"
#include "lab/comparison.h"

namespace sotto {

enum class CompareFormat : std::uint8_t { table, tsv, json, latex, markdown };
[[nodiscard]] Result<CompareFormat> parse_compare_format(const std::string& text);

// All formats but JSON: the table and, where they were asked for, the pairs below it. In a terminal the best
// of a column is **so**, the second best _so_.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, CompareFormat format,
                                          const Console& console);
[[nodiscard]] nlohmann::json comparison_json(const Comparison& comparison);

}  // namespace sotto
