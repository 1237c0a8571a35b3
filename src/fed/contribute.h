// The device's half of a round: from the received model to the contribution that leaves.
// The simulator, the wire-faithful path and a real device all go through it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/pair_kernels.h"
#include "fed/plan.h"
#include "model/federated_model.h"
#include "privacy/contribution.h"

namespace sotto::fed {

// What devices at work need, kept from visit to visit so that a visit allocates nothing.
class DeviceWork {
 public:
  explicit DeviceWork(std::size_t width) : contributions_(kernels::most_steps, Contribution(width)) {}

  // Computation (the model's fit on each device's own history) and transmission up to the contributions.
  // Moves the private rows. Visits of different users, side by side.
  template <class Model>
  requires FederatedModel<Model, ContributionPipeline> VisitReport contribute(const Model& model,
                                                                              const Plan& plan,
                                                                              std::span<const Visit> visits) {
    for (std::size_t n = 0; n < visits.size(); ++n) {
      contributions_[n].clear();
      const ConsentGate gate(plan.consent, plan.seed, visits[n].round, visits[n].user);
      pipelines_[n] = ContributionPipeline(gate, plan.fixed, contributions_[n]);
    }
    return model.fit(visits, std::span(pipelines_).first(visits.size()));
  }

  // What the n-th visit sends.
  [[nodiscard]] Contribution& contribution(std::size_t n) { return contributions_[n]; }

 private:
  std::vector<Contribution> contributions_;
  std::array<ContributionPipeline, kernels::most_steps> pipelines_;
};

}  // namespace sotto::fed
