// The flags of the networks of `sotto train`: multvae, neumf and their federated forms.
#pragma once

#include "lab/cli/options.h"
#include "lab/request.h"

namespace sotto {

void add_network_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
