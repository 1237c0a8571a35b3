// A task as both sides compute it: the message (TaskSpec) in the engine's types, checked.
//
// Law: what read_task() takes, both sides can compute with; a spec that asks for something this side does not
// know is refused by name.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <string>

#include "base/result.h"
#include "fed/plan.h"
#include "privacy/contribution_edit.h"
#include "privacy/secure/sum_terms.h"

namespace sotto {

struct Task {
  std::string name;
  Plan plan;  // seed, fpl, fixed; triples are set. Consent is each device's own.
  std::size_t items = 0;
  bool reproducible = false;
  v1::Precision down = v1::PRECISION_F32;
  bool secure = false;
  SumAssumptions assumed;
  ClipLimits clip;  // in units of a contribution's integers

  [[nodiscard]] std::uint32_t triples() const { return *plan.triples; }
  [[nodiscard]] Fpl model(std::uint64_t seed) const { return {plan.fpl, items, seed}; }
};

[[nodiscard]] Result<Task> read_task(const v1::TaskSpec& spec);

}  // namespace sotto
