// Run directories as rows of a comparison.
#pragma once

#include <string>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "engine/terminal/console.h"
#include "lab/comparison.h"

namespace sotto::cli {

// What the table asks for where the caller names nothing: the usual metrics at the first run's longest lists,
// and the errors of predicted ratings where all runs have them.
[[nodiscard]] Result<std::vector<std::string>> usual_metrics(const std::vector<std::string>& runs);

// Takes what the run wrote when it ended; a run that was not judged at the cut-offs asked for is judged
// again.
[[nodiscard]] Result<ComparedRun> read_compared_run(const std::string& path,
                                                    const std::vector<std::string>& metrics,
                                                    Executor& executor, const Console& console);

}  // namespace sotto::cli
