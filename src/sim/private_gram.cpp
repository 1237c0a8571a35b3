#include "sim/private_gram.h"

#include <algorithm>

#include "data/recency.h"
#include "model/pair_sum.h"

namespace sotto::sim {

std::vector<std::uint16_t> ages_within(const ItemSet& set, const Histories& histories, UserIndex user) {
  const auto history = histories.of(user);
  const auto all = histories.ages_of(user);
  if (all.empty()) return {};
  std::vector<std::uint16_t> ages;
  std::size_t n = 0;
  for (const std::uint32_t item : set.items()) {
    while (history[n].value != item) ++n;
    ages.push_back(all[n]);
  }
  std::vector<std::uint16_t> sorted = ages;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint16_t& age : ages)
    age = static_cast<std::uint16_t>(std::lower_bound(sorted.begin(), sorted.end(), age) - sorted.begin());
  return ages;
}

Result<CollectedNumbers> collect_popularity(const Histories& histories, std::size_t catalogue,
                                            const Plan& plan, Collector& collector, std::int32_t unit) {
  return collect_numbers(
      histories, plan, 0, catalogue, collector,
      [unit](const ItemSet& set, UserIndex, Contribution& out) { give_items(set, unit, out); });
}

Result<CollectedNumbers> collect_weighted_pairs(const Histories& histories, const KeptItems& kept,
                                                float half_life, const Plan& plan, Collector& collector) {
  SOTTO_TRY_DONE(Recency::check(half_life));
  const Recency recency(half_life);
  std::vector<float> weights;
  return collect_numbers(histories, plan, 1, triangle_size(kept.items().size()), collector,
                         [&](const ItemSet& set, UserIndex user, Contribution& out) {
                           recency.weigh(ages_within(set, histories, user), weights);
                           give_weighted_pairs(set, weights, kept, out);
                         });
}

}  // namespace sotto::sim
