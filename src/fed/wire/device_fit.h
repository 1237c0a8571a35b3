// DeviceFit: what one device computes in a round of a task, from the received model to the contribution that
// may leave. The same steps as the simulator's, for a device that knows itself alone; what the task's model
// computes is a DeviceModel.
//
// Laws: with a reproducible task and the same histories it gives, bit for bit, the contribution and the
// private row of the simulator's device of that index; an item under `never` takes no part in anything.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/private.h"
#include "fed/models/task_model.h"

namespace sotto::fed {

// The task as it is for a person: with their consent, and drawing from their streams.
[[nodiscard]] Task persons_task(Task task, const DeviceStreams& streams, const ConsentTerms& terms);

class DeviceFit {
 public:
  // `items` are the person's, ascending, each once; `terms` what they let leave, for this catalogue. `ages`
  // are those of data/histories.h, or none; `known` what is known beside them.
  DeviceFit(const Task& task, const DeviceStreams& streams, std::vector<ItemIndex> items,
            const ConsentTerms& terms, std::vector<std::uint16_t> ages = {}, DeviceKnowledge known = {});
  DeviceFit(const DeviceFit&) = delete;
  DeviceFit& operator=(const DeviceFit&) = delete;

  // Whether the device has anything to answer with.
  [[nodiscard]] bool can_answer() const { return model_->can_answer(); }
  // The private row as it starts.
  [[nodiscard]] Private<RowMatrix> start() const { return Private<RowMatrix>(model_->start()); }
  // One that an earlier round left, as far as it fits.
  [[nodiscard]] Private<RowMatrix> resumed(const Private<RowMatrix>& kept) const {
    return Private<RowMatrix>(model_->resumed(kept.on_device()));
  }
  // Fits, moves `own` and gives what is sent to a plain sum, or added to a secure one: canonical, and clipped
  // as the task says where it is added as it is. It is overwritten by the next call. Fails where the numbers
  // left the finite range; `own` is as it was then. Where a round has several parts it is of the one at hand,
  // and `own` moves with the last.
  [[nodiscard]] Result<Contribution*> fit(std::uint32_t round, const RowMatrix& shared, RowMatrix& own);
  // What is told of the part that was fitted last: the next one is at hand. Fails where that cannot be,
  // whatever the person has.
  [[nodiscard]] Status hear(PartTotal told);
  // The task with what was heard.
  [[nodiscard]] const Task& task() const { return task_; }
  // Those of the person's items that the last contribution was made of, ascending.
  [[nodiscard]] std::vector<ItemIndex> sent() const;
  // What it tells beside them, in words; empty: nothing.
  [[nodiscard]] std::string told() const { return model_->told(); }

 private:
  Task task_;
  Histories consumed_;  // one user: the device
  Histories shareable_;
  std::unique_ptr<DeviceModel> model_;
  Contribution added_;                  // where that is not what is sent
  const Contribution* made_ = nullptr;  // the last one, as its model made it
};

}  // namespace sotto::fed
