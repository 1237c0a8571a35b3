#include "privacy/pair_contribution.h"

#include "base/assert.h"

namespace sotto::privacy {

void give_pairs(const ItemSet& set, PersonWeight weight, const PairLayout& layout, Contribution& out) {
  NumberRows rows(out);
  const auto items = set.items();
  if (items.empty()) return;
  SOTTO_ASSERT(items.back() < layout.items(), "an item set lies within the catalogue");
  const auto each = static_cast<std::int32_t>(weight.of(items.size()));  // at most 2^20
  for (const std::uint32_t high : items)
    for (const std::uint32_t low : items) {
      if (low > high) break;
      rows.put(layout.pair(high, low), each);
    }
  for (const std::uint32_t item : items) rows.put(layout.popularity(item), 1);
  rows.put(layout.people(), 1);
}

}  // namespace sotto::privacy
