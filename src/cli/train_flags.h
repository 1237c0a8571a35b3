// The flags of `sotto train`, as edits of a request: they win over what a plan file says.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/options.h"

namespace sotto {

struct TrainFlags {
  CommonOptions common;
  std::string plan_file;
  Edits<DataRequest> data;
  Edits<TrainRequest> request;
  std::string out;
  bool resume = false;
  bool force = false;
  bool quiet = false;
  double checkpoint_seconds = 30.0;
  std::uint32_t keep_epochs = 0;
  std::string scratch;
  std::optional<double> memory_gb;  // none: what the system has
};

void add_train_flags(CLI::App& app, TrainFlags& flags);
// Those of them that say which data and which federated plan, for commands that do not keep a run.
void add_plan_flags(CLI::App& app, TrainFlags& flags);

// On top of `base` the plan file, then the flags, then settled.
[[nodiscard]] Result<TrainRequest> request_from(const TrainFlags& flags, TrainRequest base = {});

}  // namespace sotto
