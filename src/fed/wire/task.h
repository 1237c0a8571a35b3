// A task as both sides compute it: the message (TaskSpec) in the engine's types, checked.
//
// The model behind a task is one seam: its shape is here, what a device computes in fed/wire/device_model.h,
// what the server makes of a sum in fed/wire/server_model.h. Whatever moves a task's bytes asks these three.
// Law: what read_task() takes, both sides can compute with; a spec that asks for something this side does not
// know is refused by name.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <string>

#include "base/result.h"
#include "fed/plan.h"
#include "model/fed_als.h"
#include "privacy/contribution_edit.h"
#include "privacy/secure/sum_terms.h"

namespace sotto {

// Those that train over a network.
enum class TaskModel : std::uint8_t { fpl, fedals };
[[nodiscard]] const char* to_string(TaskModel model);

// What travels for a model, in rows and numbers.
struct TaskShape {
  std::size_t rows = 0;  // of the shared model
  std::size_t width = 0;
  std::size_t sum_rows = 0;  // of a round's sum, and of a contribution to it
  std::size_t sum_width = 0;
  std::size_t most_rows = 0;  // in one contribution
  bool alike = false;         // whose rows all hold the same numbers
  std::int32_t limit = 0;     // of a number in a row of one, up and down

  [[nodiscard]] std::size_t sum_numbers() const { return sum_rows * sum_width; }
};

struct Task {
  std::string name;
  TaskModel model = TaskModel::fpl;
  Plan plan;       // seed and fixed; of fpl its options, and triples are set. Consent is each device's own.
  AlsOptions als;  // of fedals
  std::size_t items = 0;
  bool reproducible = false;
  v1::Precision down = v1::PRECISION_F32;
  bool secure = false;
  SumAssumptions assumed;
  ClipLimits clip;  // in units of a contribution's integers

  [[nodiscard]] TaskShape shape() const;
  [[nodiscard]] std::uint32_t triples() const { return *plan.triples; }
  [[nodiscard]] Fpl fpl(std::uint64_t seed) const { return {plan.fpl, items, seed}; }
  [[nodiscard]] FedAls fedals() const { return {als, items}; }
};

[[nodiscard]] Result<Task> read_task(const v1::TaskSpec& spec);

}  // namespace sotto
