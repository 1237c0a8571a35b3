// AveragingFederation: federated averaging of whole models (model/averaging/local_task.h), as players of
// sim/round_driver.h.
//
// A round: the cohort receives the flat vector Θ, each device trains its copy and sends Θ_u − Θ and how much
// it counts (fed/averaged_update.h; as much as the whole cohort, at most); the collector sums. The server
// divides the sum by the summed counts and goes that way by its optimiser: with plain steps of rate 1 that is
// the weighted mean of the devices' models. How much a device counts is the collector's matter
// (fed/criteria/weighing_collector.h): without one, all count alike. Laws: those of the driver; memory grows
// with the model and the threads, not with the number of devices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fed/averaged_update.h"
#include "fed/plan.h"
#include "fed/selection.h"
#include "model/averaging/local_task.h"
#include "model/server_step.h"
#include "privacy/number_rows.h"
#include "sim/round_driver.h"

namespace sotto::sim {

struct AveragingPlan {
  std::uint64_t seed = 1;
  double cohort = 0.1;  // share of the devices in a round
  LocalTraining local;
  ServerStepOptions server{.step = ServerStep::sgd, .rate = 1.0f};
  FixedPoint fixed{24};
};
[[nodiscard]] Status check(const AveragingPlan& plan);
// Fails for a task that no device can train, too.
[[nodiscard]] Status check(const AveragingPlan& plan, const LocalTask& task);

// The devices that may be asked.
[[nodiscard]] std::vector<UserIndex> able_devices(const LocalTask& task);

// What a lane needs to play a device.
struct AveragingSeat : RowSums {
  explicit AveragingSeat(std::size_t parameters)
      : RowSums(averaging_shape(parameters).rows, numbers_a_row),
        copy(rows_for(parameters), numbers_a_row),
        contribution(numbers_a_row) {}
  [[nodiscard]] Contribution& sent(std::size_t /*n*/) { return contribution; }

  RowMatrix copy;  // the device's copy of the model
  Contribution contribution;
};

class AveragingFederation : public RoundDriver<AveragingFederation, AveragingSeat> {
 public:
  // All but the plan outlive it; plan and task are checked. The collector's shape is averaging_shape().
  AveragingFederation(const LocalTask& task, const AveragingPlan& plan, Executor& executor,
                      Collector& collector);

  // The flat vector; in the state it has sixteen numbers a row, and what lies beyond the last is zero.
  [[nodiscard]] std::span<const float> model() const { return {state_.shared.row(0), task_.parameters()}; }
  [[nodiscard]] std::uint32_t cohort_size() const { return cohort_; }

 private:
  friend RoundDriver;

  [[nodiscard]] Users cohort();
  void distribute(std::size_t devices);
  [[nodiscard]] std::uint64_t bytes_down() const {
    return encoded_model_bytes(state_.shared.rows(), numbers_a_row);
  }
  [[nodiscard]] Status answer(Users users, Lane& lane);
  [[nodiscard]] Status release(Aggregator&& total);

  const LocalTask& task_;
  AveragingPlan plan_;
  std::uint32_t cohort_;
  CohortSelector selector_;
  std::vector<UserIndex> answering_;
  std::int32_t one_ = 1;  // what a device counts that counts as everybody does, in this round
};

}  // namespace sotto::sim
