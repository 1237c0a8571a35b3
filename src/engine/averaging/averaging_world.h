// What a training by federated averaging needs beside its request: the classifier over dealt examples, and
// what the devices know of themselves.
#pragma once

#include <memory>

#include "data/examples/dealt_examples.h"
#include "engine/averaging/averaging_run.h"
#include "fed/criteria/example_facts.h"

namespace sotto::engine {

// Whether there is the card that is asked for: without one nothing need be read.
[[nodiscard]] Status check_accelerator(Accelerator accelerator);

// Stays where it is made: tasks and facts look at its examples.
class AveragingWorld {
 public:
  // Opens the neural module.
  [[nodiscard]] static Result<std::unique_ptr<AveragingWorld>> make(
      const ClassifierOptions& classifier, std::shared_ptr<const DealtExamples> examples);
  AveragingWorld(const AveragingWorld&) = delete;
  AveragingWorld& operator=(const AveragingWorld&) = delete;

  [[nodiscard]] const Examples& examples() const { return *examples_->examples; }
  [[nodiscard]] const Dealt& dealt() const { return examples_->dealt; }
  [[nodiscard]] const LocalTask& task() const { return *task_; }
  // With fresh facts, of a run's beginning. `size_bound`: as AveragingRequest has it.
  [[nodiscard]] AveragingParts parts(std::string plan_hash, std::uint32_t size_bound = 0);

 private:
  explicit AveragingWorld(std::shared_ptr<const DealtExamples> examples) : examples_(std::move(examples)) {}

  std::shared_ptr<const DealtExamples> examples_;
  std::unique_ptr<LocalTask> task_;
  std::unique_ptr<ExampleFacts> facts_;
};

}  // namespace sotto::engine
