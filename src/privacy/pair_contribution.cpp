#include "privacy/pair_contribution.h"

#include <algorithm>

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

Result<PairSum> counted_pairs(const PairLayout& layout, std::vector<std::int64_t> numbers,
                              PersonWeight weight) {
  SOTTO_ASSERT(numbers.size() >= layout.numbers(), "a sum holds all of its layout");
  const auto popularity = std::span(numbers).subspan(layout.popularity(0), layout.items());
  const auto is_negative = [](std::int64_t number) { return number < 0; };
  if (std::any_of(numbers.begin(), numbers.end(), is_negative) ||
      std::any_of(popularity.begin(), popularity.end(), [](std::int64_t n) { return n > UINT32_MAX; }))
    return fail(Code::bad_input,
                "the sum of pairs holds what no counts add up to: it was changed on its way");
  PairSum::People people{static_cast<std::uint64_t>(numbers[layout.people()]),
                         {popularity.begin(), popularity.end()},
                         weight.unit()};
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(layout.popularity(0));
  return PairSum(std::move(people), std::vector<std::uint64_t>(numbers.begin(), end));
}

}  // namespace sotto::privacy
