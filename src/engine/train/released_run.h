// A version that a coordinator released, as a run: what its devices would make of it for people whose data
// are at hand, so that `sotto show`, `recommend`, `evaluate` and `compare` take it.
//
// Laws: the shared rows are the version's as devices hold them, each at the place that its item, feature or
// value has in the data; private rows are learned here from the data's training part, as for somebody new,
// for no device's ever came; what the task does not know has zeros. Data that share no item with the task are
// refused. A classifier's run is judged by the examples at hand, dealt by the task's seed; nothing is learned
// for it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/train/run_dir.h"
#include "fed/models/task.h"
#include "fed/wire/catalogue.h"

namespace sotto::engine {

struct ReleasedVersion {
  v1::TaskSpec spec;
  RowMatrix rows;
  TaskCatalogue known;  // no names: the items are numbers
  std::uint32_t number = 0;
  std::uint64_t rounds = 0;
  std::string model_hash;  // as the coordinator lists it
};

// The folder holds no run yet. Returns what run.json says.
[[nodiscard]] Result<nlohmann::json> write_released_run(const RunDir& dir, ReleasedVersion version,
                                                        const DataRequest& data, Executor& executor);

}  // namespace sotto::engine
