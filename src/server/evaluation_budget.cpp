#include "server/evaluation_budget.h"

#include "privacy/dp/calibrate.h"

namespace sotto::server {

EvaluationBudget::EvaluationBudget(const TaskEvaluation& noise, std::size_t released)
    : noise_(noise), released_(released) {
  look();
}

void EvaluationBudget::count() {
  ++released_;
  look();
}

void EvaluationBudget::look() {
  if (noise_.noise_multiplier == 0.0) return;
  const double cost = cost_of({.noise = noise_.noise_multiplier,
                               .sampling = 1.0,
                               .times = static_cast<std::uint32_t>(released_ + 1)},
                              noise_.delta, Accountant::rdp);
  is_spent_ = cost > noise_.epsilon;
}

Status EvaluationBudget::bears_another() const {
  if (!is_spent_) return Done{};
  return fail(Code::bad_input, "the privacy budget of the evaluations is spent");
}

}  // namespace sotto::server
