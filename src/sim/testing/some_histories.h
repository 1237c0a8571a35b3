// For tests: people who have every fifth item, each from another one on.
#pragma once

#include "data/histories.h"

namespace sotto::sim {

inline Histories some_histories(std::uint32_t users, std::uint32_t items) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> all;
  for (std::uint32_t user = 0; user < users; ++user) {
    for (std::uint32_t item = 0; item < items; ++item)
      if ((item * 7 + user * 13) % 5 == 0) all.push_back(ItemIndex{item});
    offsets.push_back(all.size());
  }
  return {std::move(offsets), std::move(all)};
}

}  // namespace sotto::sim
