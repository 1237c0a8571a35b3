// The device's half of a round: from the received model to the contribution that leaves.
// The simulator, the wire-faithful path and a real device all call this one function.
#pragma once

#include "fed/plan.h"
#include "model/federated_model.h"
#include "privacy/contribution.h"

namespace sotto {

// Computation (the model's fit on its own history) and transmission up to the contribution, which
// is emptied first. Moves the private row.
template <class Model>
requires FederatedModel<Model, ContributionPipeline> VisitReport contribute(const Model& model,
                                                                            const Plan& plan,
                                                                            const Visit& visit,
                                                                            Contribution& out) {
  out.clear();
  ConsentGate gate(plan.consent, plan.seed, visit.round, visit.user);
  ContributionPipeline pipeline(gate, plan.fixed, out);
  return model.fit(visit, pipeline);
}

}  // namespace sotto
