// Contexts for people: which values there are, and how many of the records carry each.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "data/split.h"
#include "engine/plan/prepare.h"
#include "engine/terminal/console.h"

namespace sotto::cli {

// All records as one training part, with their contexts; nothing where none are asked for.
[[nodiscard]] Result<std::optional<Split>> split_for_contexts(const DataRequest& request,
                                                              const LoadedData& loaded);

// Of the training part.
[[nodiscard]] nlohmann::json contexts_json(const Split& split);
[[nodiscard]] std::string contexts_table(const Split& split, const Console& console);

}  // namespace sotto::cli
