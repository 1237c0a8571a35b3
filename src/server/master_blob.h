// A version of a task as the store keeps it: the shared rows in full, and behind them what the server carries
// along, where a model has that.
//
// Law: read_master(master_blob(state)) is the state, bit for bit; anything of another shape is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "fed/models/task_model.h"

namespace sotto::server {

[[nodiscard]] std::string master_blob(const ServerState& state);
// `like`: a state of the same shapes.
[[nodiscard]] Result<ServerState> read_master(std::string_view blob, const ServerState& like);

}  // namespace sotto::server
