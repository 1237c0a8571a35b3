// What a training by federated averaging learns from: examples out of a folder or made up, dealt to devices,
// and what the devices know of themselves.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/examples/celeba.h"
#include "data/examples/idx.h"
#include "fed/criteria/example_facts.h"
#include "lab/averaging/averaging_request.h"
#include "lab/averaging/averaging_run.h"

namespace sotto {

// Examples with their owners; nobody's where `owners` is empty. What is asked of pictures is asked of
// MNIST's.
[[nodiscard]] Result<OwnedExamples> averaging_examples(const AveragingRequest& request,
                                                       const IdxOptions& pictures = {});

// Whether there is the card that the request asks for: without one nothing need be read.
[[nodiscard]] Status check_accelerator(const AveragingRequest& request);

// Stays where it is made: tasks and facts look at it.
class AveragingWorld {
 public:
  // Reads and deals. The request has passed check().
  [[nodiscard]] static Result<std::unique_ptr<AveragingWorld>> make(const AveragingRequest& request);
  // Deals examples that were read, which outlive it.
  [[nodiscard]] static Result<std::unique_ptr<AveragingWorld>> deal(const AveragingRequest& request,
                                                                    const OwnedExamples& examples);
  AveragingWorld(const AveragingWorld&) = delete;
  AveragingWorld& operator=(const AveragingWorld&) = delete;

  [[nodiscard]] const Examples& examples() const { return source_->examples; }
  [[nodiscard]] const Dealt& dealt() const { return *dealt_; }
  // The classifier that the request asks for, by the neural module; it looks at this.
  [[nodiscard]] Result<std::unique_ptr<LocalTask>> start_task(const AveragingRequest& request) const;
  // With fresh facts, of a run's beginning. They look at the task and at this.
  [[nodiscard]] AveragingParts parts(const LocalTask& task);

 private:
  AveragingWorld() = default;

  std::optional<OwnedExamples> own_;
  const OwnedExamples* source_ = nullptr;
  std::optional<Dealt> dealt_;
  std::unique_ptr<ExampleFacts> facts_;
};

}  // namespace sotto
