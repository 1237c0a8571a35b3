// The flags of KGFlex.
#pragma once

#include "cli/options.h"
#include "engine/plan/request.h"

namespace sotto {

void add_kgflex_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
