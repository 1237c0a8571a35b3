// The flags of `sotto train` that say what single people consent to.
#pragma once

#include "cli/options.h"

namespace sotto {

void add_consent_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
