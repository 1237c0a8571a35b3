// One round of all people whose contributions are lists of numbers (privacy/number_rows.h), through a
// collector.
//
// Laws: whoever takes part gives one contribution; the sums are the collector's, read as they are, so under
// noise they may be negative. The same bytes for any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/histories.h"
#include "fed/collector.h"
#include "fed/plan.h"
#include "privacy/number_rows.h"
#include "sim/federation.h"

namespace sotto {

struct CollectedNumbers {
  std::vector<std::int64_t> sums;
  RoundReport report;
};

// `give(set, user, contribution)` makes what a device sends of the items that its person lets out.
template <class Give>
[[nodiscard]] Result<CollectedNumbers> collect_numbers(const Histories& histories, const Plan& plan,
                                                       std::uint32_t round, std::size_t numbers,
                                                       Collector& collector, const Give& give) {
  SOTTO_TRY_DONE(check(plan.consent));
  std::vector<UserIndex> cohort;
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    if (takes_part(plan.consent, UserIndex{user})) cohort.push_back(UserIndex{user});
  SOTTO_TRY_DONE(collector.begin({round, cohort, nullptr}));
  Contribution contribution(numbers_a_row);
  for (const UserIndex user : cohort) {
    // The same answers in all rounds of a model: what is drawn anew adds up.
    const ConsentGate gate(plan.consent, plan.seed, 0, user);
    give(ItemSet::consented(histories.of(user), gate), user, contribution);
    SOTTO_TRY_DONE(collector.accept(user, contribution));
  }
  SumSpace space(rows_for(numbers), numbers_a_row);
  Aggregator total(space);
  SOTTO_TRY(const Traffic traffic, collector.finish(total));
  CollectedNumbers out;
  out.sums.assign(rows_for(numbers) * numbers_a_row, 0);
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

}  // namespace sotto
