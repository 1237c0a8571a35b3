// The flags that say under what circumstances something was rated: --contexts and what goes with it, and the
// scale of the ratings.
#pragma once

#include "cli/options.h"

namespace sotto {

void add_context_flags(CLI::App& app, Edits<DataRequest>& edits);

}  // namespace sotto
