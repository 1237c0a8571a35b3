// Histories: for each user the items of one part of the data, in compressed sparse rows: 4 bytes an
// interaction and 8 a user.
// Laws: each user's items are distinct and ascending; offsets().size() == users() + 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.h"
#include "data/ids.h"

namespace sotto {

class Histories {
 public:
  Histories() = default;
  explicit Histories(std::size_t users) : offsets_(users + 1, 0) {}
  Histories(std::vector<std::uint64_t> offsets, std::vector<ItemIndex> items)
      : offsets_(std::move(offsets)), items_(std::move(items)) {
    SOTTO_ASSERT(!offsets_.empty() && offsets_.front() == 0 && offsets_.back() == items_.size(),
                 "offsets span the items");
  }

  [[nodiscard]] std::size_t users() const { return offsets_.size() - 1; }
  [[nodiscard]] std::size_t interactions() const { return items_.size(); }
  [[nodiscard]] std::span<const ItemIndex> of(UserIndex user) const {
    return std::span(items_).subspan(offsets_[user.value], offsets_[user.value + 1] - offsets_[user.value]);
  }
  [[nodiscard]] bool contains(UserIndex user, ItemIndex item) const {
    const auto items = of(user);
    if (items.empty()) return false;
    // A search whose steps do not depend on guesses: each halves the rest by a conditional move.
    const ItemIndex* from = items.data();
    for (std::size_t left = items.size(); left > 1;) {
      const std::size_t half = left / 2;
      from = from[half].value <= item.value ? from + half : from;
      left -= half;
    }
    return *from == item;
  }
  [[nodiscard]] std::span<const std::uint64_t> offsets() const { return offsets_; }
  [[nodiscard]] std::span<const ItemIndex> items() const { return items_; }

  // How often each of `item_count` items occurs.
  [[nodiscard]] std::vector<std::uint32_t> popularity(std::size_t item_count) const {
    std::vector<std::uint32_t> counts(item_count, 0);
    for (const ItemIndex item : items_) ++counts[item.value];
    return counts;
  }

 private:
  std::vector<std::uint64_t> offsets_{0};
  std::vector<ItemIndex> items_;
};

}  // namespace sotto
