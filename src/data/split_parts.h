// The last step of every split, however its parts were chosen: number the items, sort the rows, hash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/split.h"

namespace sotto::data {

// One part while it grows, user by user; items by their number in the dataset.
struct PartRows {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  bool oldest_first = false;  // each user's items stand in their order in time; else in any order

  void add(ItemIndex item) { items.push_back(item); }
  void end_user() { offsets.push_back(items.size()); }
};

struct SplitParts {
  PartRows train;
  PartRows validation;
  PartRows test;
};

// Numbers the items as Split's laws say (training first, the dataset's order within; items that occur
// nowhere are dropped). Labels are per item of `items`, or empty. Fails when nothing is left to train on.
[[nodiscard]] Result<Split> assemble_split(IdTable users, const IdTable& items, SplitParts parts,
                                           const std::vector<std::string>& names,
                                           const std::vector<std::string>& categories);

// The hash of ids and parts.
[[nodiscard]] std::string hash_of(const Split& split);

// The laws that keep every index inside its array, in one pass at the speed of memory.
[[nodiscard]] Status check_rows(const Split& split);

// Split's laws, one by one; for splits that come from outside.
[[nodiscard]] Status check_laws(const Split& split);

// ⌊share·n⌋ for the share that was meant: 1 − 0.8 of 20 is 4, though the doubles say 3.9999….
[[nodiscard]] std::uint64_t share_of(double share, std::uint64_t n);

}  // namespace sotto::data
