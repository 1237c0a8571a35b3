// per_user.tsv read back: what per_user_tsv() of a run directory wrote.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "data/split.h"
#include "metrics/evaluate.h"

namespace sotto {

// `name` is what messages call the file. Refuses a changed file: other columns, users that the split does not
// have, what is no number.
[[nodiscard]] Result<PerUser> read_per_user(std::string_view text, const std::string& name,
                                            const Split& split);

}  // namespace sotto
