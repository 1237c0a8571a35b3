// What a device gives the models of its tasks: the person's items as a history of one user, and what is known
// beside them.
#pragma once

#include <memory>

#include "data/histories.h"
#include "data/records.h"

namespace sotto::fed {

// What is known beside the items of a history, in the types of a split whose one user is the device.
struct DeviceKnowledge {
  // In `train`, one entry an item of `consumed`; null: nothing was recorded. Ratings are there where every
  // item has one; a time that is not known is no_time.
  std::shared_ptr<const Records> records = nullptr;
};

// Histories of one user, the device. They and the task, whose consent is the person's, outlive the model.
struct DeviceHistory {
  const Histories& consumed;
  const Histories& shareable;
  DeviceKnowledge known = {};
};

}  // namespace sotto::fed
