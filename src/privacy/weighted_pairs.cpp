#include "privacy/weighted_pairs.h"

#include <utility>
#include <vector>

#include "base/assert.h"
#include "model/pair_sum.h"

namespace sotto::privacy {

void give_items(const ItemSet& set, std::int32_t unit, Contribution& out) {
  NumberRows rows(out);
  for (const std::uint32_t item : set.items()) rows.put(item, unit);
}

void give_weighted_pairs(const ItemSet& set, std::span<const float> weights, const KeptItems& kept,
                         Contribution& out) {
  SOTTO_ASSERT(weights.empty() || weights.size() == set.items().size(), "a weight for each item");
  std::vector<std::pair<std::uint32_t, float>> own;
  for (std::size_t n = 0; n < set.items().size(); ++n) {
    const std::uint32_t place = kept.place(set.items()[n]);
    if (place != KeptItems::nowhere) own.emplace_back(place, weights.empty() ? 1.0f : weights[n]);
  }
  NumberRows rows(out);
  constexpr auto unit = static_cast<float>(pair_unit);
  for (std::size_t high = 0; high < own.size(); ++high)
    for (std::size_t low = 0; low <= high; ++low) {
      const float weight = own[high].second * own[low].second;
      SOTTO_ASSERT(weight >= 0.0f && weight <= 1.0f, "weights lie between 0 and 1");
      rows.put(triangle_size(own[high].first) + own[low].first, static_cast<std::int32_t>(weight * unit));
    }
}

}  // namespace sotto::privacy
