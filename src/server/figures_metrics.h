// The figures of evaluations for an operator: of one as JSON, and of all tasks' newest as Prometheus' text.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "server/task_run.h"

namespace sotto::server {

// With an interval for each metric whose sum gives one.
[[nodiscard]] nlohmann::ordered_json evaluation_json(const EvaluationRecord& evaluation,
                                                     const TaskConfig& config);
// Of every task that has some, and which version is on trial.
[[nodiscard]] std::string figures_metrics(const std::vector<std::unique_ptr<TaskRun>>& tasks);

}  // namespace sotto::server
