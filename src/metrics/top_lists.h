// The lists that are judged: for each judged user its best items, best first, in one flat array.
// Laws: a list has at most depth items; all items are within the catalogue and not masked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "data/ids.h"

namespace sotto::metrics {

struct TopLists {
  std::size_t depth = 0;
  std::vector<UserIndex> users;
  std::vector<ItemIndex> items;        // users × depth
  std::vector<std::uint32_t> lengths;  // of each user's list

  // The first `cutoff` items of the list of users[row].
  [[nodiscard]] std::span<const ItemIndex> of(std::size_t row, std::size_t cutoff) const {
    return std::span(items).subspan(row * depth, std::min<std::size_t>(lengths[row], cutoff));
  }
};

}  // namespace sotto::metrics
