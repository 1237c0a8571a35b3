// PlainRound: a round, or a part of one, whose contributions arrive in the open, in any order, and are summed
// as they come.
//
// Laws: what is refused leaves no trace, and says why by its code; what is taken has the shape of the task's
// sum and is such as a device of its model could make; a contribution lives only until it is added. Who sent
// it and whether they may is the caller's.
#pragma once

#include "fed/collector.h"
#include "fed/models/task_model.h"
#include "fed/wire/round_step.h"

namespace sotto::fed {

class PlainRound {
 public:
  // `sum` has begun; it and the model outlive this.
  PlainRound(const Task& task, const ContributionCheck& model, Collector& sum)
      : task_(task), sent_(task.part().sent), model_(model), sum_(sum), added_(task.part().sum_width) {}

  // A contribution to a model that was sent out in round `sent_in`.
  [[nodiscard]] StepAnswer take(std::uint32_t sent_in, UserIndex device, std::string_view message);
  [[nodiscard]] std::uint64_t contributions() const { return contributions_; }
  // The largest message a device may send.
  [[nodiscard]] static std::uint64_t most_bytes(const Task& task);

 private:
  [[nodiscard]] StepAnswer check_shape(std::uint32_t sent_in, std::string_view message) const;

  Task task_;
  TaskShape::Sent sent_;
  const ContributionCheck& model_;
  Collector& sum_;
  Contribution added_;  // for the one at hand, where it is not added itself
  std::uint64_t contributions_ = 0;
};

}  // namespace sotto::fed
