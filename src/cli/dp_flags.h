// The flags of differential privacy: --dp and what belongs to it.
#pragma once

#include "cli/options.h"

namespace sotto {

void add_dp_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
