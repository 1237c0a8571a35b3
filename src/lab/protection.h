// Protection: what stands between the devices of a run and the sum, by the run's request.
//
// From the device's side to the server's: consent (always, in the contribution itself), then the collectors
// of the chain in the order of architecture: clip, noise, robust groups, secure sum. Law: without any
// protection asked for there is no chain, and a run goes the short way.
#pragma once

#include <memory>
#include <vector>

#include "base/executor.h"
#include "fed/collector.h"
#include "lab/ledger_recorder.h"
#include "lab/request.h"

namespace sotto {

class Protection {
 public:
  // The collector that devices talk to; null: the plain sum.
  [[nodiscard]] Collector* first() const { return chain_.empty() ? nullptr : chain_.back().get(); }
  // Puts one more before those that are there.
  void put_before(std::unique_ptr<Collector> collector) { chain_.push_back(std::move(collector)); }
  // What a device's ledger calls the chain.
  void call(Mechanism mechanism) { mechanism_ = std::move(mechanism); }
  [[nodiscard]] const Mechanism& mechanism() const { return mechanism_; }

 private:
  std::vector<std::unique_ptr<Collector>> chain_;  // from the sum outwards
  Mechanism mechanism_;
};

// The chain for a sum of the given shape.
[[nodiscard]] Result<Protection> protect(const TrainRequest& request, SumShape shape, std::size_t users,
                                         Executor& executor);

}  // namespace sotto
