// Two rounds that make a Gram matrix of a federation's histories through collectors which clip and add noise:
// how popular items are, then how much each two of the popular ones are had together
// (privacy/weighted_pairs.h).
//
// Laws: those of sim/number_round.h; sums are in units of 1 / pair_unit.
#pragma once

#include <cstdint>
#include <vector>

#include "privacy/weighted_pairs.h"
#include "sim/number_round.h"

namespace sotto::sim {

// The ages of the items that consent let out, in the set's order, reckoned among these alone: an item that
// stays on the device must not make others older. None where the part has none.
[[nodiscard]] std::vector<std::uint16_t> ages_within(const ItemSet& set, const Histories& histories,
                                                     UserIndex user);

// Σ over people of which items they have; one number an item, `unit` a person.
[[nodiscard]] Result<CollectedNumbers> collect_popularity(const Histories& histories, std::size_t catalogue,
                                                          const Plan& plan, Collector& collector,
                                                          std::int32_t unit = pair_unit);

// Σ over people of v vᵀ over the kept items: a triangle, i ≥ j at i(i + 1)/2 + j. An item counts half as much
// as one that is `half_life` places newer among those that consent lets out; 0: all count 1.
[[nodiscard]] Result<CollectedNumbers> collect_weighted_pairs(const Histories& histories,
                                                              const KeptItems& kept, float half_life,
                                                              const Plan& plan, Collector& collector);

}  // namespace sotto::sim
