// Histories: for each user the items of one part of the data, in compressed sparse rows: 4 bytes an
// interaction and 8 a user.
//
// Laws: each user's items are distinct and ascending; offsets().size() == users() + 1. The numbers never
// change, so a copy shares them. They are owned, or lie in somebody else's memory (a mapped file) that
// `owner` keeps alive; nobody who reads can tell.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/large_pages.h"
#include "data/ids.h"

namespace sotto {

class Histories {
 public:
  Histories() = default;
  explicit Histories(std::size_t users) : Histories(std::vector<std::uint64_t>(users + 1, 0), {}) {}
  Histories(std::vector<std::uint64_t> offsets, std::vector<ItemIndex> items) {
    const auto owned = std::make_shared<const Owned>(std::move(offsets), std::move(items));
    offsets_ = owned->first;
    items_ = owned->second;
    join_pages(items_.data(), items_.size_bytes());
    owner_ = owned;
    assert_spanned();
  }
  // A view of numbers that `owner` keeps alive and that nobody changes.
  Histories(std::span<const std::uint64_t> offsets, std::span<const ItemIndex> items,
            std::shared_ptr<const void> owner)
      : offsets_(offsets), items_(items), owner_(std::move(owner)) {
    assert_spanned();
  }

  [[nodiscard]] std::size_t users() const { return offsets_.size() - 1; }
  [[nodiscard]] std::size_t interactions() const { return items_.size(); }
  [[nodiscard]] std::span<const ItemIndex> of(UserIndex user) const {
    return items_.subspan(offsets_[user.value], offsets_[user.value + 1] - offsets_[user.value]);
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
  using Owned = std::pair<std::vector<std::uint64_t>, std::vector<ItemIndex>>;
  static constexpr std::array<std::uint64_t, 1> nobody{0};

  void assert_spanned() const {
    SOTTO_ASSERT(!offsets_.empty() && offsets_.front() == 0 && offsets_.back() == items_.size(),
                 "offsets span the items");
  }

  std::span<const std::uint64_t> offsets_{nobody};
  std::span<const ItemIndex> items_;
  std::shared_ptr<const void> owner_;
};

}  // namespace sotto
