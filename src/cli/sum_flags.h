// The flags of a secure sum, for `sotto train` and whoever trains.
#pragma once

#include "cli/command.h"
#include "cli/options.h"

namespace sotto {

void add_sum_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
