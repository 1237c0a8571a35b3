// What a split holds, as text and as JSON: for the commands that make one or look at one.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "data/split.h"
#include "engine/terminal/console.h"

namespace sotto::cli {

void print_parts(const Split& split, const Console& console);
[[nodiscard]] nlohmann::json parts_json(const Split& split);

}  // namespace sotto::cli
