#include "fed/secure/pair_cost.h"

#include <fmt/core.h>

#include "fed/secure/product_collector.h"
#include "fed/secure/product_sum.h"
#include "fed/secure/sum_cost.h"
#include "privacy/pair_contribution.h"

namespace sotto::fed {

SumOptions sum_of_pairs(SumOptions sum, PersonWeight weight) {
  if (sum.limit == 0) sum.limit = static_cast<std::uint32_t>(weight.unit());
  return sum;
}

SumOptions sum_of_people(SumOptions sum) {
  sum.limit = 1;
  if (sum.kind == SumKind::products) sum.kind = SumKind::shares, sum.aggregators = product_aggregators;
  return sum;
}

Result<std::uint64_t> pair_bytes_up(const PairSumPlan& plan, std::size_t items) {
  SOTTO_TRY(const std::uint64_t pairs,
            plan.sum.kind == SumKind::products
                ? product_bytes_up(plan.sum, plan.devices, items, plan.weight)
                : sum_bytes_up(plan.sum, plan.devices, {PairLayout(items).rows(), PairLayout::width}));
  if (items >= plan.catalogue) return pairs;
  SOTTO_TRY(const std::uint64_t popularity,
            sum_bytes_up(sum_of_people(plan.sum), plan.devices, {rows_for(plan.catalogue), numbers_a_row}));
  return popularity + pairs;
}

Status check_pair_bytes(const PairSumPlan& plan, std::size_t items, std::uint64_t most, PairWords words) {
  SOTTO_TRY(const std::uint64_t bytes, pair_bytes_up(plan, items));
  if (bytes <= most) return Done{};
  std::size_t fits = 0, too_many = items;
  while (fits + 1 < too_many) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    SOTTO_TRY(const std::uint64_t tried, pair_bytes_up(plan, middle));
    (tried <= most ? fits : too_many) = middle;
  }
  const std::string what =
      fmt::format("the pairs of {} items would take {} bytes up per device, and {} allows {}", items, bytes,
                  words.bytes, most);
  if (fits == 0)
    return fail(Code::usage, fmt::format("{}, which is less than the sum takes for any item: raise {}", what,
                                         words.bytes));
  return fail(Code::usage, fmt::format("{}: take the most popular {} with {}{}, or raise {}", what, fits,
                                       words.items, fits, words.bytes));
}

}  // namespace sotto::fed
