#include "server/evaluation_budget.h"

#include "privacy/dp/calibrate.h"

namespace sotto::server {

void EvaluationBudget::open() {
  ++open_;
  look();
}

void EvaluationBudget::close(bool released) {
  --open_;
  if (released) ++released_;
  look();
}

void EvaluationBudget::look() {
  if (noise_.noise_multiplier == 0.0) return;
  const auto times = static_cast<std::uint32_t>(released_ + open_ + 1);
  const NoisyReleases all{.noise = noise_.noise_multiplier, .sampling = 1.0, .times = times};
  bears_another_ = cost_of(all, noise_.delta, Accountant::rdp) <= noise_.epsilon;
}

}  // namespace sotto::server
