// Two rounds that make a Gram matrix of a federation's histories through collectors which clip and add noise:
// how popular items are, then how much each two of the popular ones are had together
// (privacy/weighted_pairs.h).
//
// Laws: each device gives one contribution a round; the sums are the collector's, read as they are, so they
// may be negative. The same bytes for any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "data/histories.h"
#include "fed/collector.h"
#include "fed/plan.h"
#include "privacy/weighted_pairs.h"
#include "sim/federation.h"

namespace sotto {

struct NoisyNumbers {
  std::vector<std::int64_t> sums;  // in units of 1 / pair_unit
  RoundReport report;
};

// Σ over people of which items they have; one number an item.
[[nodiscard]] Result<NoisyNumbers> collect_popularity(const Histories& histories, std::size_t catalogue,
                                                      const Plan& plan, Collector& collector);

// The `most` items with the largest sums, ascending; of equal ones the first.
[[nodiscard]] std::vector<std::uint32_t> most_popular_items(const NoisyNumbers& popularity, std::size_t most);

// Σ over people of v vᵀ over the kept items: a triangle, i ≥ j at i(i + 1)/2 + j. An item counts half as much
// as one that is `half_life` places newer among those that consent lets out; 0: all count 1.
[[nodiscard]] Result<NoisyNumbers> collect_weighted_pairs(const Histories& histories, const KeptItems& kept,
                                                          float half_life, const Plan& plan,
                                                          Collector& collector);

}  // namespace sotto
