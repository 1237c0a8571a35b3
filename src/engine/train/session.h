// One training from request to judged model, with progress, checkpoints, Ctrl-C and a run directory:
// what `sotto train` and `sotto demo` share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/executor.h"
#include "base/result.h"
#include "engine/plan/request.h"
#include "engine/terminal/console.h"
#include "engine/train/run_dir.h"
#include "engine/train/training.h"
#include "metrics/evaluate.h"

namespace sotto::engine {

struct SessionOptions {
  std::optional<RunDir> run;  // already begun; none: nothing is kept
  bool resume = false;        // go on from the run's checkpoint, if it has one
  std::string title;          // what the progress calls it; empty: the model's name
  bool quiet = false;
  double checkpoint_seconds = 30.0;
  std::uint32_t keep_epochs = 0;  // keep a checkpoint every so many epochs; 0: none
  std::string scratch;            // a folder for the private rows of FPL; empty: they lie in memory
};

// The split outlives it.
struct Session {
  Trained trained;
  Evaluation evaluation;
};

// Trains, judges on the test part and ends the run directory. A stop by Ctrl-C is Code::cancelled with
// a sentence on how to go on.
[[nodiscard]] Result<Session> run_session(const TrainRequest& request, const Split& split,
                                          const SessionOptions& options, Executor& executor,
                                          const Console& console);

// What a run says of itself: run.json, and `sotto train --json`.
[[nodiscard]] nlohmann::json summary_of(const TrainRequest& request, const Split& split,
                                        const Session& session);
// An evaluation: metrics.json, and `sotto evaluate --json`.
[[nodiscard]] nlohmann::json metrics_of(const Evaluation& evaluation, Part part);

}  // namespace sotto::engine
