// The flags of the networks of `sotto train`: multvae, neumf and their federated forms.
#pragma once

#include "cli/options.h"
#include "engine/plan/request.h"

namespace sotto {

void add_network_flags(CLI::App& app, Edits<TrainRequest>& edits);

}  // namespace sotto
