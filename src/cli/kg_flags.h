// The flags that say what is known about the items: --kg and what goes with it.
#pragma once

#include "cli/options.h"

namespace sotto {

void add_kg_flags(CLI::App& app, Edits<DataRequest>& edits);

// Those that say how a graph or a list is read and explored, for commands that name it otherwise.
void add_kg_reading_flags(CLI::App& app, Edits<DataRequest>& edits, const std::string& prefix);

}  // namespace sotto
