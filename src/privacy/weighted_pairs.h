// What a device gives to the two sums of a private Gram matrix: first which items its person has, then, of
// the items that were found popular, every pair v_i v_j with the person's own weights v (newer items more).
// Numbers lie as in privacy/number_rows.h; clip and noise come after.
//
// Laws: what consent withholds is in neither; both are canonical; weights lie in [0, 1], so that a value is
// at most pair_unit.
#pragma once

#include <cstdint>
#include <span>

#include "privacy/item_set.h"
#include "privacy/kept_items.h"
#include "privacy/number_rows.h"

namespace sotto::privacy {

inline constexpr std::int32_t pair_unit = 1 << 16;  // a weight of 1

// `unit` for each item of the set.
void give_items(const ItemSet& set, std::int32_t unit, Contribution& out);

// `weights`: one for each item of the set; none: all count 1.
void give_weighted_pairs(const ItemSet& set, std::span<const float> weights, const KeptItems& kept,
                         Contribution& out);

}  // namespace sotto::privacy
