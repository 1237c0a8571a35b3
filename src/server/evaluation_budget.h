// EvaluationBudget: what the noisy evaluations of a task have cost, and whether another fits.
//
// Laws: each release is charged by being counted, those of a version and those beside it: what the store has
// are all that were, and it is read once, when the task begins to run. What is open has its room: nobody is
// asked for figures that cannot be paid for.
#pragma once

#include "server/task_config.h"

namespace sotto::server {

class EvaluationBudget {
 public:
  // So many were released before.
  EvaluationBudget(const TaskEvaluation& noise, std::size_t released) : noise_(noise), released_(released) {
    look();
  }
  // Whether another may be opened; always where there is no noise.
  [[nodiscard]] bool bears_another() const { return bears_another_; }
  void open();
  // `released`: it is in the store.
  void close(bool released);

 private:
  void look();

  TaskEvaluation noise_;
  std::size_t released_;
  std::size_t open_ = 0;
  bool bears_another_ = true;
};

}  // namespace sotto::server
