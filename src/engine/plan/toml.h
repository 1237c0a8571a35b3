// Plans inside larger documents: a study holds parts of plans in its tables.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/plan/request.h"
#include "storage/toml.h"

namespace sotto::engine {

// What happens to an option that the model has not, but another has.
enum class OtherModels : std::uint8_t { refused, skipped };

// from_toml() for a table that was parsed already. A copied table has forgotten its lines: pass the original.
[[nodiscard]] Result<TrainRequest> from_table(const toml::table& table, const std::string& name,
                                              TrainRequest base = {},
                                              OtherModels others = OtherModels::refused);

// How a plan of version 0.1.0 begins in its run's folder. It holds all models' options: those of others are
// skipped.
inline constexpr const char* whole_plan_line = "# A run of Sotto, format 1\n";

}  // namespace sotto::engine
