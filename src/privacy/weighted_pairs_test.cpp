#include "privacy/weighted_pairs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "model/pair_sum.h"

namespace sotto::privacy::weighted_pairs_test {

std::map<std::size_t, std::int32_t> numbers_of(const Contribution& contribution) {
  std::map<std::size_t, std::int32_t> numbers;
  for (std::size_t n = 0; n < contribution.size(); ++n)
    for (std::size_t k = 0; k < numbers_a_row; ++k)
      if (contribution.values(n)[k] != 0)
        numbers[contribution.row(n) * numbers_a_row + k] = contribution.values(n)[k];
  return numbers;
}

RC_GTEST_PROP(WeightedPairs, AreTheProductsOfTheKeptItemsThatConsentLetsOut, ()) {
  constexpr std::size_t catalogue = 40;
  const auto drawn = *rc::gen::arbitrary<std::set<std::uint8_t>>();
  std::vector<ItemIndex> history;
  for (const std::uint8_t item : drawn)
    if (item < catalogue) history.push_back(ItemIndex{item});
  const double pi = *rc::gen::element(0.0, 0.5, 1.0);
  const ItemSet set =
      ItemSet::consented(history, ConsentGate({.pi = pi, .mask = MaskKind::sticky}, 3, 0, UserIndex{4}));
  std::vector<std::uint32_t> kept_items;
  for (std::uint32_t item = 1; item < catalogue; item += 2) kept_items.push_back(item);
  const KeptItems kept(kept_items, catalogue);
  std::vector<float> weights;
  for (std::size_t n = 0; n < set.items().size(); ++n)
    weights.push_back(1.0f / static_cast<float>(1u << (n % 5)));
  Contribution contribution(numbers_a_row);
  give_weighted_pairs(set, weights, kept, contribution);
  std::map<std::size_t, std::int32_t> expected;
  for (std::size_t a = 0; a < set.items().size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      const std::uint32_t high = set.items()[a], low = set.items()[b];
      if (high % 2 == 1 && low % 2 == 1)
        expected[triangle_size(high / 2) + low / 2] =
            static_cast<std::int32_t>(weights[a] * weights[b] * float{pair_unit});
    }
  RC_ASSERT(numbers_of(contribution) == expected);
  if (pi == 0.0) RC_ASSERT(contribution.size() == 0u);
  const std::size_t rows = contribution.size();
  contribution.make_canonical();
  RC_ASSERT(contribution.size() == rows);

  give_items(set, pair_unit, contribution);
  expected.clear();
  for (const std::uint32_t item : set.items()) expected[item] = pair_unit;
  RC_ASSERT(numbers_of(contribution) == expected);
}

}  // namespace sotto::privacy::weighted_pairs_test
