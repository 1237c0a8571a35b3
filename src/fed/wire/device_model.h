// DeviceModel: what the model of a task computes on a device. The other halves of this seam are
// Task::shape() and fed/wire/server_model.h.
//
// Laws: it computes what the simulator's device of that index computes, bit for bit; what consent keeps back
// is in no contribution.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/private.h"
#include "data/histories.h"
#include "fed/wire/task.h"
#include "privacy/contribution.h"

namespace sotto {

// Where a device's random streams begin: the plan's seed and its index in a reproducible task, else a seed
// that it drew itself and keeps.
struct DeviceStreams {
  std::uint64_t seed = 1;
  UserIndex index;
};

// Histories of one user, the device. They and the task, whose consent is the person's, outlive the model.
struct DeviceHistory {
  const Histories& consumed;
  const Histories& shareable;
};

class DeviceModel {
 public:
  [[nodiscard]] static std::unique_ptr<DeviceModel> make(const Task& task, const DeviceStreams& streams,
                                                         const DeviceHistory& history);
  DeviceModel() = default;
  DeviceModel(const DeviceModel&) = delete;
  DeviceModel& operator=(const DeviceModel&) = delete;
  virtual ~DeviceModel() = default;

  // Whether the history has what an answer is made of.
  [[nodiscard]] virtual bool can_answer() const = 0;
  // The private row as it starts.
  [[nodiscard]] virtual RowMatrix start() const = 0;
  // The contribution to a round; it is overwritten by the next call. Moves `own`.
  [[nodiscard]] virtual Result<Contribution*> contribute(std::uint32_t round, const RowMatrix& shared,
                                                         RowMatrix& own) = 0;
  // The row of a contribution that comes from an item; rows keep the items' order.
  [[nodiscard]] virtual std::uint32_t row_of(ItemIndex item) const = 0;
};

// The private row for these shared rows and the person's whole history (ascending, each once), where a
// model's private row is no state but follows from both. None where it is state, which rounds move.
[[nodiscard]] Result<std::optional<Private<RowMatrix>>> solved_row(const Task& task, const RowMatrix& shared,
                                                                   std::span<const ItemIndex> items);

}  // namespace sotto
