// The one round of the item-item models: every device gives its item set, as far as its person consents, to
// one sum (fed/pair_aggregator.h). In the open they are players of sim/round_driver.h.
//
// Laws: the same sum and the same bytes counted for any number of threads, and on the wire path.
#pragma once

#include "base/executor.h"
#include "data/histories.h"
#include "fed/pair_aggregator.h"
#include "fed/plan.h"
#include "sim/number_round.h"

namespace sotto::sim {

struct PairRound {
  PairSum sum;
  RoundReport report;  // without bytes_down: what goes back depends on what is made of the sum
};

[[nodiscard]] Result<PairRound> gather_pairs(const Histories& histories, std::size_t catalogue,
                                             const Plan& plan, PersonWeight weight, Executor& executor,
                                             Path path = Path::fast);

// The same where the sum is protected: each device's pairs go through the collector as one Contribution
// (privacy/pair_contribution.h). A protected sum may carry noise: counted_pairs() says whether it holds
// counts.
enum class Multiplied : std::uint8_t {
  on_devices,      // a contribution is of pairs
  by_aggregators,  // it is of items, each with the weight of its pairs (fed/secure/product_collector.h)
};
[[nodiscard]] Result<CollectedNumbers> collect_pairs(const Histories& histories, std::size_t catalogue,
                                                     const Plan& plan, PersonWeight weight,
                                                     Collector& collector,
                                                     Multiplied by = Multiplied::on_devices);
// Of the kept items alone, by their places, in a round of its own after the one that found them: what people
// give is what they would give if they had no others.
[[nodiscard]] Result<CollectedNumbers> collect_kept_pairs(const Histories& histories, const KeptItems& kept,
                                                          const Plan& plan, PersonWeight weight,
                                                          Collector& collector,
                                                          Multiplied by = Multiplied::on_devices);

}  // namespace sotto::sim
