// Flags about labelled examples, for commands that take data of either kind.
#pragma once

#include "engine/plan/model_entry.h"

namespace sotto::cli {

[[nodiscard]] const ModelEntry& entry_of_examples();
// Those that data of histories have not.
[[nodiscard]] Fields flags_of_examples();

}  // namespace sotto::cli
