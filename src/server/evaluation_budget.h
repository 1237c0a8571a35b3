// EvaluationBudget: what the noisy evaluations of a task have cost, and whether another fits.
//
// Law: each release is charged by being counted, those of a version and those beside it: what the store has
// are all that were, and it is read once, when the task begins to run.
#pragma once

#include "server/task_config.h"

namespace sotto::server {

class EvaluationBudget {
 public:
  // So many were released before.
  EvaluationBudget(const TaskEvaluation& noise, std::size_t released);
  // One is in the store.
  void count();
  // Always where there is no noise.
  [[nodiscard]] Status bears_another() const;

 private:
  void look();

  TaskEvaluation noise_;
  std::size_t released_;
  bool is_spent_ = false;
};

}  // namespace sotto::server
