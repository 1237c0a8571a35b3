// The flags of criteria (engine/plan/criteria_request.h), for every command that trains.
#pragma once

#include "cli/options.h"

namespace sotto {

void add_criteria_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
