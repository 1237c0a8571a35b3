// A version that a coordinator released, as a run: what its devices would make of it for people whose data
// are at hand, so that `sotto show`, `recommend`, `evaluate` and `compare` take it.
//
// Laws: the shared rows are the version's, each at its item's place in the data; private rows are learned
// here from the data's training part, as for somebody new, for no device's ever came; an item that the task
// does not know has a row of zeros. Data that share no item with the task are refused.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/train/run_dir.h"
#include "fed/models/task.h"

namespace sotto::engine {

struct ReleasedVersion {
  Task task;
  RowMatrix rows;
  std::vector<std::string> names;  // of the rows; empty: their numbers
  std::uint32_t number = 0;
  std::uint64_t rounds = 0;
  std::string model_hash;  // as the coordinator lists it
};

// The folder holds no run yet. Returns what run.json says.
[[nodiscard]] Result<nlohmann::json> write_released_run(const RunDir& dir, const ReleasedVersion& version,
                                                        const DataRequest& data, Executor& executor);

}  // namespace sotto::engine
