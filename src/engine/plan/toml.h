// Plans inside larger documents: a study holds parts of plans in its tables.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "engine/plan/request.h"
#include "storage/toml.h"

namespace sotto {

// from_toml() for a table that was parsed already. A copied table has forgotten its lines: pass the original.
[[nodiscard]] Result<TrainRequest> from_table(const toml::table& table, const std::string& name,
                                              TrainRequest base = {});

// The keys that a plan knows in a section ("data": paths, columns, …).
[[nodiscard]] std::set<std::string> keys_in(const std::string& section);

}  // namespace sotto
