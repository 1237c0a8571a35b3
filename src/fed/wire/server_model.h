// ServerModel: what the model of a task makes of a round's sum. The other halves of this seam are
// Task::shape() and fed/wire/device_model.h.
//
// Laws: the next shared rows follow from the master and the released integers alone, and are those of the
// simulator's server, bit for bit; where they cannot be had nothing is released.
#pragma once

#include <cstdint>
#include <memory>

#include "fed/aggregator.h"
#include "fed/wire/task.h"

namespace sotto {

class ServerModel {
 public:
  [[nodiscard]] static std::unique_ptr<ServerModel> make(const Task& task);
  ServerModel() = default;
  ServerModel(const ServerModel&) = delete;
  ServerModel& operator=(const ServerModel&) = delete;
  virtual ~ServerModel() = default;

  [[nodiscard]] virtual RowMatrix start_shared() const = 0;
  // Whether a contribution in the open, of the task's shape, is one that a device of the model could make.
  [[nodiscard]] virtual Status check(const Contribution& contribution) const = 0;
  // The shared rows after a round.
  [[nodiscard]] virtual Result<RowMatrix> release(std::uint32_t round, const RowMatrix& master,
                                                  Aggregator&& sum) const = 0;
};

}  // namespace sotto
