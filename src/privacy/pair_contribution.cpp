#include "privacy/pair_contribution.h"

#include "base/assert.h"

namespace sotto {

void give_pairs(const ItemSet& set, PersonWeight weight, const PairLayout& layout, Contribution& out) {
  SOTTO_ASSERT(out.width() == PairLayout::width, "pairs lie sixteen a row");
  out.clear();
  const auto items = set.items();
  if (items.empty()) return;
  SOTTO_ASSERT(items.back() < layout.items(), "an item set lies within the catalogue");
  const auto add = [&out](std::size_t place, std::int32_t value) {
    const auto row = static_cast<std::uint32_t>(place / PairLayout::width);
    if (out.size() == 0 || out.rows_.back() != row) out.append(row);
    out.values_.data()[(out.size() - 1) * out.stride_ + place % PairLayout::width] += value;
  };
  const auto each = static_cast<std::int32_t>(weight.of(items.size()));  // at most 2^20
  for (const std::uint32_t high : items)
    for (const std::uint32_t low : items) {
      if (low > high) break;
      add(layout.pair(high, low), each);
    }
  for (const std::uint32_t item : items) add(layout.popularity(item), 1);
  add(layout.people(), 1);
}

}  // namespace sotto
