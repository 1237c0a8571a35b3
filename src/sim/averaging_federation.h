// AveragingFederation: federated averaging of whole models (model/averaging/local_task.h), a whole federation
// in one process; the third driver beside sim/federation.h and sim/history_federation.h, made of the same
// pieces.
//
// A round: the cohort receives the flat vector Θ, each device trains its copy and sends Θ_u − Θ and how much
// it counts (fed/averaged_update.h; as much as the whole cohort, at most); the collector sums. The server
// divides the sum by the summed counts and goes that way by its optimiser: with plain steps of rate 1 that is
// the weighted mean of the devices' models. How much a device counts is the collector's matter
// (fed/criteria/weighing_collector.h): without one, all count alike. Laws: the same plan, task and seed give
// the same bytes for any number of threads; memory grows with the model and the threads, not with the number
// of devices; a restored federation goes on as if nothing had happened.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/executor.h"
#include "base/private.h"
#include "fed/averaged_update.h"
#include "fed/collector.h"
#include "fed/plan.h"
#include "fed/selection.h"
#include "model/averaging/local_task.h"
#include "model/server_step.h"
#include "sim/federation.h"

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

struct AveragingState {
  std::uint32_t round = 0;
  RowMatrix model;             // the flat vector, sixteen numbers a row; what lies beyond the last is zero
  RowMatrix memory;            // what the server's optimiser carries along
  Private<RowMatrix> devices;  // one private row a device; none where the task has no private numbers
};

// The devices that may be asked.
[[nodiscard]] std::vector<UserIndex> able_devices(const LocalTask& task);

class AveragingFederation {
 public:
  // All but the plan outlive it; plan and task are checked. The collector's shape is averaging_shape().
  AveragingFederation(const LocalTask& task, const AveragingPlan& plan, Executor& executor,
                      Collector& collector);
  ~AveragingFederation();

  [[nodiscard]] Result<RoundReport> run(std::uint32_t rounds);
  [[nodiscard]] const AveragingState& state() const { return state_; }
  [[nodiscard]] std::span<const float> model() const { return {state_.model.row(0), task_.parameters()}; }
  void restore(AveragingState state);
  [[nodiscard]] AveragingState take() && { return std::move(state_); }
  [[nodiscard]] std::uint32_t cohort_size() const { return cohort_; }

 private:
  struct Shard;

  [[nodiscard]] Status run_round(RoundReport& report);
  // Of those who are asked in the round at hand: who answers.
  [[nodiscard]] std::span<const UserIndex> answering();
  // The cohort trains, as many at once as there are threads, and sends to the collector in its order.
  [[nodiscard]] Status visit_cohort(std::span<const UserIndex> cohort, RoundReport& report);
  void play(UserIndex device, Shard& shard);
  // The server's step by a released sum.
  [[nodiscard]] Status step(Aggregator&& total);

  const LocalTask& task_;
  AveragingPlan plan_;
  Executor& executor_;
  Collector& collector_;
  std::vector<UserIndex> able_;
  std::uint32_t cohort_;
  CohortSelector selector_;
  SumSpace space_;
  AveragingState state_;
  std::vector<Shard> shards_;
  std::vector<UserIndex> answering_;
  std::int32_t one_ = 1;  // what a device counts that counts as everybody does, in this round
};

}  // namespace sotto::sim
