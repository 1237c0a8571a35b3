// A device's x xᵀ as a Contribution, so that what protects a sum of rows protects a sum of pairs too.
//
// The numbers of the sum lie one after the other (privacy/number_rows.h): the triangle of pairs i ≥ j at i(i
// + 1)/2 + j, then how many people have each item, then how many people there are. Law: the sum of such
// contributions holds what PairAggregator makes of the same item sets.
#pragma once

#include <cstdint>

#include "model/pair_sum.h"
#include "privacy/item_set.h"
#include "privacy/number_rows.h"

namespace sotto::privacy {

class PairLayout {
 public:
  static constexpr std::size_t width = numbers_a_row;

  explicit PairLayout(std::size_t items) : items_(items) {}

  [[nodiscard]] std::size_t items() const { return items_; }
  [[nodiscard]] std::size_t pair(std::size_t high, std::size_t low) const {
    return triangle_size(high) + low;
  }
  [[nodiscard]] std::size_t popularity(std::size_t item) const { return triangle_size(items_) + item; }
  [[nodiscard]] std::size_t people() const { return triangle_size(items_) + items_; }
  [[nodiscard]] std::size_t numbers() const { return people() + 1; }
  [[nodiscard]] std::size_t rows() const { return rows_for(numbers()); }

 private:
  std::size_t items_;
};

// What the set's owner gives, canonical. All of its items are within the layout.
void give_pairs(const ItemSet& set, PersonWeight weight, const PairLayout& layout, Contribution& out);
// The counts in a sum of such contributions, as they lie; an error where no counts add up to it.
[[nodiscard]] Result<PairSum> counted_pairs(const PairLayout& layout, std::vector<std::int64_t> numbers,
                                            PersonWeight weight);

}  // namespace sotto::privacy
