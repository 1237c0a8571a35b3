// One round of all people whose contributions are lists of numbers (privacy/number_rows.h), through a
// collector.
//
// Laws: whoever takes part gives one contribution (fed/number_sum.h). The same bytes for any number of
// threads.
#pragma once

#include <cstdint>
#include <vector>

#include "data/histories.h"
#include "fed/number_sum.h"
#include "fed/plan.h"
#include "privacy/item_set.h"
#include "sim/round_report.h"

namespace sotto::sim {

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
  const Histories usable = shareable(plan.consent, histories);
  const std::vector<UserIndex> cohort = taking_part(plan.consent, histories.users());
  const auto give_at = [&](std::size_t n, Contribution& contribution) {
    // The same answers in all rounds of a model: what is drawn anew adds up.
    const ConsentGate gate(plan.consent, plan.seed, 0, cohort[n]);
    give(ItemSet::consented(usable.of(cohort[n]), gate), cohort[n], contribution);
  };
  SOTTO_TRY(SummedNumbers summed, sum_numbers(collector, {round, cohort, nullptr}, numbers, give_at));
  CollectedNumbers out;
  out.sums = std::move(summed.sums);
  out.report.rounds = 1;
  out.report.exchanges = cohort.size();
  out.report.bytes_up = summed.traffic.up;
  out.report.bytes_down = summed.traffic.down;
  return out;
}

}  // namespace sotto::sim
