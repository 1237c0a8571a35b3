// The flags of Fed-CARS.
#pragma once

#include "lab/cli/options.h"
#include "lab/request.h"

namespace sotto {

void add_fedcars_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
