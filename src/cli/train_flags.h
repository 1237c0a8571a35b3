// The flags of `sotto train`: rows of the table of fields, which win over what a plan file says, and what is
// said of the run itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/field_flags.h"

namespace sotto::cli {

struct TrainFlags {
  CommonOptions common;
  std::string plan_file;
  FieldFlags fields;
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
// Before its help is printed: leaves what every model has, and of the rest what the model that was typed has,
// in the model's words. Knowledge and contexts are left to models that
// look at them.
void narrow_help(CLI::App& train);
// Those of them that say which data and which plan, of these models and groups of flags, for commands that do
// not keep a run.
void add_plan_flags(CLI::App& app, TrainFlags& flags, const std::function<bool(const ModelEntry&)>& models,
                    std::vector<std::string> groups);

// On top of `base` the plan file, then the flags, then settled. `base` is somebody's plan where it is not the
// usual one. What --model leaves out of a plan is reported.
[[nodiscard]] Result<TrainRequest> request_from(const TrainFlags& flags, const Console& console,
                                                std::optional<TrainRequest> base = std::nullopt);

}  // namespace sotto::cli
