// The flags of Fed-CARS.
#pragma once

#include "cli/options.h"
#include "engine/plan/request.h"

namespace sotto {

void add_fedcars_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
