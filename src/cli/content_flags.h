// The flags of the models that compare people and items by features: --user-weights and what belongs to it.
#pragma once

#include "cli/options.h"

namespace sotto {

void add_content_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
