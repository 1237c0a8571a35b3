// The flags of KGFlex.
#pragma once

#include "lab/cli/options.h"
#include "lab/request.h"

namespace sotto {

void add_kgflex_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
