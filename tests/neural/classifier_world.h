// For tests: devices with pictures of ten classes, a task of a classifier for them, and what the simulator
// makes of it.
#pragma once

#include "data/examples/dealt_examples.h"
#include "fed/models/task_models.h"
#include "model/averaging/classifier_options.h"
#include "sim/averaging_federation.h"
#include "tests/e2e/loopback.h"

namespace sotto::tests::classifiers {

inline constexpr std::uint32_t rounds = 3, devices = 24, side = 12;
inline constexpr std::uint64_t seed = 11;

struct Case {
  const char* name;
  ClassifierKind kind = ClassifierKind::dense;
  double pi = 1.0;
  std::uint32_t cohort = 0;  // 0: everybody, in the order they come
  bool secure = false;
  const char* server = "sgd";
  const char* criteria = "";  // by which devices count
};
inline constexpr std::uint32_t size_bound = 15;

inline Case weighed(const char* name, const char* criteria, std::uint32_t cohort = 0, bool secure = false,
                    ClassifierKind kind = ClassifierKind::dense) {
  return {name, kind, 0.7, cohort, secure, "sgd", criteria};
}

// Two labels each, and some pictures have the quality that a criterion asks for.
const DealtExamples& world();
ClassifierOptions network_of(const Case& one);
TaskConfig task_for(const Case& one);
// The simulator has no shares of examples: each hand has those alone that its person's device lets out.
Dealt shared_by(const Case& one);
FederationState simulated(const Case& one, const Dealt& hands);
FederationState simulated(const Case& one);
FleetOptions fleet_of(const Case& one, const NetworkTasks& networks);

}  // namespace sotto::tests::classifiers
