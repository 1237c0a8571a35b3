// The keys of a task by which its devices count more or less, named as the flags of `sotto train`.
#pragma once

#include <sotto/v1/federation.pb.h>

#include "base/result.h"
#include "storage/toml_table.h"

namespace sotto::host {

// `crowd`: the fewest who tell a criterion that counts. What a network has no way for is refused by its key.
[[nodiscard]] Status read_criteria_keys(TomlTable& table, v1::TaskSpec& spec, std::uint32_t crowd);

}  // namespace sotto::host
