// Histories: for each user the items of one part of the data, in compressed sparse rows: 4 bytes an
// interaction and 8 a user, and 2 more an interaction where their order in time is known.
//
// Laws: each user's items are distinct and ascending; offsets().size() == users() + 1. The numbers never
// change, so a copy shares them. The age of an item is the number of newer items in the same row, most_age
// at most: 0 is the newest. They are owned, or lie in somebody else's memory (a mapped file) that
// `owner` keeps alive; nobody who reads can tell.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/large_pages.h"
#include "data/ids.h"

namespace sotto::data {

class Histories {
 public:
  Histories() = default;
  explicit Histories(std::size_t users) : Histories(std::vector<std::uint64_t>(users + 1, 0), {}) {}
  // `ages` are one an item, or none.
  Histories(std::vector<std::uint64_t> offsets, std::vector<ItemIndex> items,
            std::vector<std::uint16_t> ages = {}) {
    const auto owned = std::make_shared<const Owned>(std::move(offsets), std::move(items), std::move(ages));
    offsets_ = std::get<0>(*owned);
    items_ = std::get<1>(*owned);
    ages_ = std::get<2>(*owned);
    join_pages(items_.data(), items_.size_bytes());
    owner_ = owned;
    assert_spanned();
  }
  // A view of numbers that `owner` keeps alive and that nobody changes.
  Histories(std::span<const std::uint64_t> offsets, std::span<const ItemIndex> items,
            std::span<const std::uint16_t> ages, std::shared_ptr<const void> owner)
      : offsets_(offsets), items_(items), ages_(ages), owner_(std::move(owner)) {
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

  static constexpr std::uint16_t most_age = 0xFFFF;
  [[nodiscard]] bool has_ages() const { return !ages_.empty(); }
  [[nodiscard]] std::span<const std::uint16_t> ages() const { return ages_; }
  // In the order of of(user); empty where ages are not known.
  [[nodiscard]] std::span<const std::uint16_t> ages_of(UserIndex user) const {
    if (ages_.empty()) return {};
    return ages_.subspan(offsets_[user.value], offsets_[user.value + 1] - offsets_[user.value]);
  }

  // How often each of `item_count` items occurs.
  [[nodiscard]] std::vector<std::uint32_t> popularity(std::size_t item_count) const {
    std::vector<std::uint32_t> counts(item_count, 0);
    for (const ItemIndex item : items_) ++counts[item.value];
    return counts;
  }

 private:
  using Owned = std::tuple<std::vector<std::uint64_t>, std::vector<ItemIndex>, std::vector<std::uint16_t>>;
  static constexpr std::array<std::uint64_t, 1> nobody{0};

  void assert_spanned() const {
    SOTTO_ASSERT(!offsets_.empty() && offsets_.front() == 0 && offsets_.back() == items_.size(),
                 "offsets span the items");
    SOTTO_ASSERT(ages_.empty() || ages_.size() == items_.size(), "each item has an age, or none has");
  }

  std::span<const std::uint64_t> offsets_{nobody};
  std::span<const ItemIndex> items_;
  std::span<const std::uint16_t> ages_;
  std::shared_ptr<const void> owner_;
};

}  // namespace sotto::data
