// One sum over a cohort whose contributions are lists of numbers (privacy/number_rows.h), through a
// collector.
//
// Laws: everybody of the cohort gives one contribution, in its order; the sums are the collector's, read as
// they are, so under noise they may be negative.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fed/collector.h"
#include "privacy/number_rows.h"

namespace sotto::fed {

struct SummedNumbers {
  std::vector<std::int64_t> sums;
  Traffic traffic;
};

// `give(n, contribution)` makes what the device at place n of the cohort sends: `numbers` integers.
template <class Give>
[[nodiscard]] Result<SummedNumbers> sum_numbers(Collector& collector, const RoundPlace& place,
                                                std::size_t numbers, const Give& give) {
  SOTTO_TRY_DONE(collector.begin(place));
  Contribution contribution(numbers_a_row);
  for (std::size_t n = 0; n < place.cohort.size(); ++n) {
    give(n, contribution);
    SOTTO_TRY_DONE(collector.accept(place.cohort[n], contribution));
  }
  SumSpace space(rows_for(numbers), numbers_a_row);
  Aggregator total(space);
  SummedNumbers out;
  SOTTO_TRY(out.traffic, collector.finish(total));
  out.sums.assign(rows_for(numbers) * numbers_a_row, 0);
  std::move(total).release([&](std::uint32_t row, const auto* sums) {
    std::copy_n(sums, numbers_a_row, out.sums.begin() + std::ptrdiff_t{row} * std::ptrdiff_t{numbers_a_row});
  });
  out.sums.resize(numbers);
  return out;
}

}  // namespace sotto::fed
