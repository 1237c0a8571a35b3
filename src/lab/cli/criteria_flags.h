// The flags of criteria (lab/criteria_request.h), for every command that trains.
#pragma once

#include "lab/cli/options.h"

namespace sotto {

void add_criteria_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
