// A task whose devices count more or less by criteria (fed/criteria/weighing.h), once for all models whose
// contributions add up. Three small parts stand before the main one of a round: who tells which criteria;
// the values of those that enough tell; the scores. What each came to comes back, and the device multiplies
// its own contribution by its weight.
//
// Laws: with the same cohort it is the simulator's weighed contribution, bit for bit; of a criterion that the
// person keeps back, or that too few tell, no number leaves; a total that so many devices cannot have added
// up to, or that does not follow from the one before, is refused by devices and server alike.
#pragma once

#include <memory>
#include <string_view>

#include "fed/models/task_model.h"

namespace sotto::fed {

// The message into the task's criteria, checked; all else of the task is there. What cannot be known on a
// device, and models that nothing can weigh, are refused by name.
[[nodiscard]] Status read_criteria(const v1::TaskSpec& spec, Task& task);
[[nodiscard]] bool has_criterion(const Task& task, std::string_view name);

// The model's shape with the parts before it.
[[nodiscard]] TaskShape weighed_shape(const Task& task);
// By how much the contribution to the part at hand may be multiplied at most: 1 without criteria.
[[nodiscard]] double most_weight(const Task& task);
// Whether the last of the totals can follow from those before, and something is left to weigh by.
[[nodiscard]] Status check_heard(const Task& task);

// Whether a catalogue says what the task's model and its criteria need.
[[nodiscard]] Status check_known(const Task& task, const DeviceKnowledge& known);

// The model's halves, weighed where the task has criteria.
[[nodiscard]] std::unique_ptr<DeviceModel> device_of(const Task& task, const DeviceStreams& streams,
                                                     const DeviceHistory& history);
[[nodiscard]] std::unique_ptr<ServerModel> server_of(const Task& task);

}  // namespace sotto::fed
