// What a sum of pairs that shows nobody's items costs a device. A triangle of n items has n(n + 1)/2 numbers,
// nearly all of them zeros behind masks: it grows with the square of the catalogue, whatever a person has.
// Where that is too much, pairs are summed of the most popular items alone, which a first sum finds.
#pragma once

#include "fed/secure/secure_collector.h"
#include "model/pair_counts.h"

namespace sotto::fed {

// The same options with the limit that pairs have, unless another is asked for: a small limit makes a small
// ring.
[[nodiscard]] SumOptions sum_of_pairs(SumOptions sum, PersonWeight weight);
// Those of the first sum, how many people have each item: every number is 0 or 1. Whoever multiplies adds
// it up as parts.
[[nodiscard]] SumOptions sum_of_people(SumOptions sum);

struct PairSumPlan {
  SumOptions sum;           // of pairs
  std::size_t devices = 0;  // of one sum
  std::size_t catalogue = 0;
  PersonWeight weight;
};

// The bytes up of a device for the pairs of so many items, the sum that finds them included.
[[nodiscard]] Result<std::uint64_t> pair_bytes_up(const PairSumPlan& plan, std::size_t items);
// How whoever asks writes what would change them.
struct PairWords {
  const char* items = "--pair-items ";
  const char* bytes = "--pair-bytes";
};
// Fails where they are more than `most`; it says how many items would do.
[[nodiscard]] Status check_pair_bytes(const PairSumPlan& plan, std::size_t items, std::uint64_t most,
                                      PairWords words = {});

}  // namespace sotto::fed
