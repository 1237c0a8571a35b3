// A task that the device holds a version of: what its person is answered from, offline.
#pragma once

#include <memory>
#include <string>

#include "device/own_history.h"

namespace sotto::device {

struct HeldTask {
  // Code::not_found where the device has no version yet.
  [[nodiscard]] static Result<HeldTask> load(DeviceStore& kept, const std::string& name);
  [[nodiscard]] ItemNames names() const { return {catalogue.get(), task.items}; }

  Task task;  // without a model where the version was kept when there was one kind of them
  std::shared_ptr<const HeldModel> model;
  std::shared_ptr<const TaskCatalogue> catalogue;  // none: numbers
};

// The catalogues on a device, each with its task, by the tasks' names.
using HeldCatalogues = std::vector<std::pair<std::string, std::shared_ptr<const TaskCatalogue>>>;
[[nodiscard]] Result<HeldCatalogues> held_catalogues(DeviceStore& kept);

// The task of a device that holds one model. Fails where there is none, or more than one to choose from.
[[nodiscard]] Result<std::string> only_task(DeviceStore& kept);

}  // namespace sotto::device
