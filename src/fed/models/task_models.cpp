#include "fed/models/task_models.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "base/nearest_word.h"
#include "fed/models/pair_task.h"

namespace sotto::fed {

Result<const TaskModel*> find_task_model(const std::string& name) {
  std::string known;
  NearestWord nearest(name);
  for (const TaskModel* one : task_models) {
    if (name == one->name) return one;
    nearest.look_at(one->name);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one->name);
  }
  const bool is_near = !name.empty() && !nearest.word().empty();
  return fail(
      Code::bad_input,
      fmt::format("unknown model{}; {} over a network are {}: where a newer version knows it, update "
                  "this one",
                  is_plain_name(name) ? " '" + name + "'" : "",
                  is_near ? fmt::format("did you mean '{}'? Known", nearest.word()) : "known", known));
}

Status check_trainable(const TaskModel& model, const NetworkTasks* networks) {
  if (!model.trains_network) return Done{};
  if (networks == nullptr)
    return fail(Code::incompatible,
                fmt::format("this device's program trains no networks, and {} is one", model.name));
  return networks->ready();
}

Status take_known(const DeviceKnowledge& known, v1::TaskSpec& spec) {
  SOTTO_TRY(const TaskModel* model, find_task_model(spec.model()));
  return model->take_known == nullptr ? Status(Done{}) : model->take_known(known, spec);
}

#ifndef SOTTO_NO_SERVER
namespace {

// What is carried along may be several blocks of the rows' height.
void keep_rows(const RowMatrix& before, std::size_t blocks, RowMatrix& after) {
  if (before.rows() == 0) return;
  for (std::size_t row = 0; row < before.rows(); ++row) {
    const std::size_t height = before.rows() / blocks,
                      place = row % height + row / height * (after.rows() / blocks);
    std::ranges::copy(before.values(row), after.values(place).begin());
  }
}

}  // namespace

ServerState grown_by_rows(const Task& task, const ServerState& state) {
  ServerState grown = task.model->server(task)->start();
  keep_rows(state.shared, 1, grown.shared);
  keep_rows(state.memory, state.memory.rows() / state.shared.rows(), grown.memory);
  return grown;
}

Result<std::vector<std::uint32_t>> items_of_rows(const Task& task, const RowMatrix& rows) {
  std::vector<std::uint32_t> items;
  if (task.model->grown == nullptr) return items;
  if (rows.rows() != task.items) {
    SOTTO_TRY(const KeptItems kept, kept_in(rows, task.items));
    return kept.items();
  }
  items.resize(rows.rows());
  std::iota(items.begin(), items.end(), 0u);
  return items;
}
#endif

}  // namespace sotto::fed
