// The order of priority chosen while training goes on (the journal version of thesis ch. 5, Anelli et al.):
// after each round the cohort says how many of its validation examples the model gets right; where these are
// fewer than before the round, the other orders are tried on the same devices' updates, and the best is kept
// for this round and those to come.
//
// The counts go the way that contributions go, as a sum over the cohort. A try costs the cohort what a round
// costs it but the training: its weighted update goes up once more, and the model comes down to be judged.
// Laws: the same plan and seed choose the same orders for any number of threads; of equals the order that
// holds stays, then the first in the list wins.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/averaging/remembered_task.h"
#include "fed/criteria/weighing_collector.h"
#include "sim/averaging_federation.h"

namespace sotto::engine {

// What choosing has cost beyond the training itself.
struct OrderCosts {
  std::uint64_t tries = 0;    // orders tried, the one that held not counted
  std::uint64_t changes = 0;  // rounds after which another order held
  std::uint64_t sums = 0;     // of updates made again, and of what is right; not those that weigh a try
  std::uint64_t bytes_up = 0;
  std::uint64_t bytes_down = 0;
  double seconds = 0.0;
};

class OrderChoice {
 public:
  // All outlive it but the orders. The federation trains `task`, through `weigher`. The first order is the
  // one that holds now.
  OrderChoice(const RememberedTask& task, AveragingFederation& federation, WeighingCollector& weigher,
              const SumMaker& sums, std::vector<CriteriaOrder> orders, Executor& executor);

  // One round, and what choosing the order takes. The report is that of the round that was kept.
  [[nodiscard]] Result<RoundReport> run_round();

  [[nodiscard]] const CriteriaOrder& order() const { return orders_[now_]; }
  // Of the round that was kept, in the cohort's order.
  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  // Goes on with an order that a run was stopped with; nothing happens where it is none of them.
  void go_on_with(const CriteriaOrder& order, const OrderCosts& costs);
  [[nodiscard]] const OrderCosts& costs() const { return costs_; }

 private:
  // How many validation examples of the cohort a model gets right.
  [[nodiscard]] Result<std::uint64_t> count_right(std::span<const UserIndex> cohort,
                                                  std::span<const float> model);
  void keep_weights() { weights_.assign(weigher_.weights().begin(), weigher_.weights().end()); }
  [[nodiscard]] Status try_others(const FederationState& before, std::span<const UserIndex> cohort,
                                  std::uint64_t right, RoundReport& report);

  const RememberedTask& task_;
  AveragingFederation& federation_;
  WeighingCollector& weigher_;
  std::unique_ptr<Collector> counts_;  // sums what is right, and all
  std::vector<CriteriaOrder> orders_;
  Executor& executor_;
  std::size_t now_ = 0;
  std::vector<double> weights_;
  OrderCosts costs_;
};

}  // namespace sotto::engine
