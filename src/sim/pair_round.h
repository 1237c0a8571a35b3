// The one round of the item-item models: every device gives its item set, as far as its person consents, to
// one sum. The simulator's side of fed/pair_aggregator.h.
//
// Laws: the same sum and the same bytes counted for any number of threads, and on the wire path.
#pragma once

#include "base/executor.h"
#include "data/histories.h"
#include "fed/pair_aggregator.h"
#include "fed/plan.h"
#include "sim/federation.h"

namespace sotto {

struct PairRound {
  PairSum sum;
  RoundReport report;  // without bytes_down: what goes back depends on what is made of the sum
};

[[nodiscard]] Result<PairRound> gather_pairs(const Histories& histories, std::size_t catalogue,
                                             const Plan& plan, PersonWeight weight, Executor& executor,
                                             Path path = Path::fast);

}  // namespace sotto
