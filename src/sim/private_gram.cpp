#include "sim/private_gram.h"

#include <algorithm>
#include <numeric>

#include "data/recency.h"
#include "model/pair_sum.h"

namespace sotto {

namespace {

// One round of all people: `give(user, contribution)` makes what a device sends.
template <class Give>
Result<NoisyNumbers> one_round(const Histories& histories, const Plan& plan, std::uint32_t round,
                               std::size_t numbers, Collector& collector, const Give& give) {
  std::vector<UserIndex> cohort;
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    if (takes_part(plan.consent, UserIndex{user})) cohort.push_back(UserIndex{user});
  SOTTO_TRY_DONE(collector.begin({round, cohort, nullptr}));
  Contribution contribution(numbers_a_row);
  for (const UserIndex user : cohort) {
    give(user, contribution);
    SOTTO_TRY_DONE(collector.accept(user, contribution));
  }
  const std::size_t rows = rows_for(numbers);
  SumSpace space(rows, numbers_a_row);
  Aggregator total(space);
  SOTTO_TRY(const Traffic traffic, collector.finish(total));
  NoisyNumbers out;
  out.sums.assign(rows * numbers_a_row, 0);
  std::move(total).release([&](std::uint32_t row, const auto* sums) {
    std::copy_n(sums, numbers_a_row, out.sums.begin() + std::ptrdiff_t{row} * std::ptrdiff_t{numbers_a_row});
  });
  out.sums.resize(numbers);
  out.report.rounds = 1;
  out.report.exchanges = cohort.size();
  out.report.bytes_up = traffic.up;
  out.report.bytes_down = traffic.down;
  return out;
}

// The ages of the items that consent let out, in the set's order, reckoned among these alone: an item that
// stays on the device must not make others older.
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

}  // namespace

Result<NoisyNumbers> collect_popularity(const Histories& histories, std::size_t catalogue, const Plan& plan,
                                        Collector& collector) {
  SOTTO_TRY_DONE(check(plan.consent));
  return one_round(histories, plan, 0, catalogue, collector, [&](UserIndex user, Contribution& out) {
    give_items(ItemSet::consented(histories.of(user), ConsentGate(plan.consent, plan.seed, 0, user)), out);
  });
}

std::vector<std::uint32_t> most_popular_items(const NoisyNumbers& popularity, std::size_t most) {
  std::vector<std::uint32_t> items(popularity.sums.size());
  std::iota(items.begin(), items.end(), 0u);
  std::stable_sort(items.begin(), items.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return popularity.sums[a] > popularity.sums[b]; });
  items.resize(std::min(items.size(), most));
  std::sort(items.begin(), items.end());
  return items;
}

Result<NoisyNumbers> collect_weighted_pairs(const Histories& histories, const KeptItems& kept,
                                            float half_life, const Plan& plan, Collector& collector) {
  SOTTO_TRY_DONE(check(plan.consent));
  SOTTO_TRY_DONE(Recency::check(half_life));
  const Recency recency(half_life);
  std::vector<float> weights;
  return one_round(histories, plan, 1, triangle_size(kept.items().size()), collector,
                   [&](UserIndex user, Contribution& out) {
                     const ItemSet set = ItemSet::consented(histories.of(user),
                                                            ConsentGate(plan.consent, plan.seed, 0, user));
                     recency.weigh(ages_within(set, histories, user), weights);
                     give_weighted_pairs(set, weights, kept, out);
                   });
}

}  // namespace sotto
