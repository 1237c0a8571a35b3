// per_user.tsv read back: what per_user_tsv() of a run directory wrote.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/split.h"
#include "metrics/evaluate.h"

namespace sotto::engine {

// Says whom an id of the file means; nobody: the file is refused.
using FindUser = std::function<std::optional<UserIndex>(std::string_view id)>;

// `name` is what messages call the file. Refuses a changed file: other columns, users that are not found,
// what is no number.
[[nodiscard]] Result<PerUser> read_per_user(std::string_view text, const std::string& name,
                                            const FindUser& find);
[[nodiscard]] Result<PerUser> read_per_user(std::string_view text, const std::string& name,
                                            const Split& split);

}  // namespace sotto::engine
