#include "device/held_task.h"

#include <fmt/core.h>

namespace sotto::device {

namespace {

Status read_spec(const std::string& name, HeldTask& held) {
  held.task.name = name;
  held.task.items = held.model->rows.rows();
  if (held.model->task.empty()) return Done{};
  v1::TaskSpec spec;
  if (!spec.ParseFromString(held.model->task))
    return fail(Code::bad_input, fmt::format("the task '{}' on this device does not decode", name));
  SOTTO_TRY(held.task, read_task(spec));
  const TaskShape shape = held.task.shape();
  if (shape.rows != held.model->rows.rows() || shape.width != held.model->rows.width())
    return fail(Code::bad_input, fmt::format("the model of the task '{}' is not of the task's shape: run an "
                                             "exchange",
                                             name));
  return Done{};
}

}  // namespace

Result<HeldTask> HeldTask::load(DeviceStore& kept, const std::string& name) {
  HeldTask held;
  SOTTO_TRY(held.model, kept.model(name));
  if (!held.model || !held.model->has_version())
    return fail(
        Code::not_found,
        fmt::format("there is no model of the task '{}' on this device yet: run an exchange first", name));
  SOTTO_TRY_DONE(read_spec(name, held));
  if (held.model->catalogue.empty()) return held;
  SOTTO_TRY(held.catalogue, kept.catalogue(held.model->catalogue));
  if (!held.catalogue || held.catalogue->names.size() != held.task.items)
    return fail(Code::bad_input, fmt::format("the model of the task '{}' and the names of its items do not "
                                             "belong together: run an exchange",
                                             name));
  return held;
}

Result<HeldCatalogues> held_catalogues(DeviceStore& kept) {
  HeldCatalogues held;
  SOTTO_TRY(const std::vector<std::string> tasks, kept.held_tasks());
  for (const std::string& task : tasks) {
    SOTTO_TRY(const auto model, kept.model(task));
    if (model == nullptr || model->catalogue.empty()) continue;
    SOTTO_TRY(auto catalogue, kept.catalogue(model->catalogue));
    if (catalogue != nullptr) held.emplace_back(task, std::move(catalogue));
  }
  return held;
}

Result<std::string> only_task(DeviceStore& kept) {
  SOTTO_TRY(const std::vector<std::string> tasks, kept.held_tasks());
  if (tasks.empty())
    return fail(Code::not_found, "there is no model on this device yet: run an exchange first");
  if (tasks.size() > 1) {
    std::string names;
    for (const std::string& task : tasks) names += (names.empty() ? "" : ", ") + task;
    return fail(Code::usage, "this device has models of several tasks: name one (--task) of " + names);
  }
  return tasks.front();
}

}  // namespace sotto::device
