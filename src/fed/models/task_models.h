// The list of models that train over a network. Each stands in a file of its own, NAME_task.cpp.
//
// Law: anyone who needs to know what a model does asks its entry; nothing else names a model.
#pragma once

#include <array>
#include <string>

#include "fed/models/task_model.h"

namespace sotto::fed {

extern const TaskModel fpl_task, fedals_task, fcf_task, fedease_task, feditemknn_task, fedrp3beta_task,
    kgflex_task, fedcars_task, fedmultvae_task, fedneumf_task, fedavg_task;
// The first is the usual one.
inline constexpr std::array task_models{&fpl_task,        &fedals_task,     &fcf_task,    &fedease_task,
                                        &feditemknn_task, &fedrp3beta_task, &kgflex_task, &fedcars_task,
                                        &fedmultvae_task, &fedneumf_task,   &fedavg_task};

// By name; where there is none the error says which there are, and which is near.
[[nodiscard]] Result<const TaskModel*> find_task_model(const std::string& name);
// Whether a device with these can train it; the error says what it lacks.
[[nodiscard]] Status check_trainable(const TaskModel& model, const NetworkTasks* networks);
// What the message's model takes from the task's catalogue (TaskModel::take_known).
[[nodiscard]] Status take_known(const DeviceKnowledge& known, v1::TaskSpec& spec);
// The item of each shared row of a version; none: the rows are no items', or not yet.
[[nodiscard]] Result<std::vector<std::uint32_t>> items_of_rows(const Task& task, const RowMatrix& rows);

}  // namespace sotto::fed
