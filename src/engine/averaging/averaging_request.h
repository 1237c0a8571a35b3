// Federated averaging of classifiers: the options that are the model's own, and with them all that a training
// is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/plan/field.h"
#include "fed/criteria/weighing_collector.h"
#include "fed/secure/secure_collector.h"
#include "metrics/device_accuracy.h"
#include "model/averaging/classifier_options.h"
#include "sim/averaging_federation.h"

namespace sotto::engine {

struct AveragingOptions {
  ClassifierOptions classifier;
  LocalTraining local;
  double cohort = AveragingPlan{}.cohort;
  std::uint32_t rounds = 100;
  std::uint32_t evaluate_every = 1;
  bool choose_order = false;
  std::optional<AccuracyGoal> until;  // stop when it is reached
};

// Of a whole plan.
struct AveragingRequest : AveragingOptions {
  AveragingPlan plan;
  CriteriaOptions criteria;
  std::uint32_t size_bound = 0;  // examples of who counts fully by size; 0: the most that a device has
  SumOptions sum;
};
[[nodiscard]] Result<AveragingRequest> averaging_of(const TrainRequest& request);

// What can be said without the data. A field that says nothing beside the others is refused where it was set
// to something.
[[nodiscard]] Status check_averaging(const TrainRequest& request);
// What can be said of a federation of so many devices.
[[nodiscard]] Status check_cohort(const AveragingRequest& request, std::size_t devices);

// "50%@95%": half of the devices at 95% accuracy.
[[nodiscard]] Result<AccuracyGoal> parse_goal(const std::string& text);
[[nodiscard]] std::string to_string(const AccuracyGoal& goal);

// The rows of a plan.
[[nodiscard]] Fields averaging_fields();

}  // namespace sotto::engine
