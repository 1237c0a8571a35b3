// The flags of robust sums (fed/robust_sum.h), for every command that trains.
#pragma once

#include "cli/options.h"

namespace sotto {

void add_robust_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
