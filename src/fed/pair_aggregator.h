// PairAggregator: the server's sum of x xᵀ over people's item sets. accept / merge / release() &&.
//
// Laws: it takes ItemSets alone; refused input leaves no trace; any order and any split over aggregators give
// the same sums, which are integers; release happens once. How much a person counts follows from the size of
// the set (PersonWeight): nobody can make themselves heavier.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/pair_sum.h"
#include "privacy/item_set.h"

namespace sotto::fed {

class PairAggregator {
 public:
  // A triangle of all pairs, or only those that occur: 16 bytes each.
  enum class Form : std::uint8_t { triangle, sparse };
  [[nodiscard]] static Form form_for(std::size_t items);

  PairAggregator(std::size_t items, PersonWeight weight, Form form);
  PairAggregator(PairAggregator&&) noexcept = default;
  PairAggregator(const PairAggregator&) = delete;
  PairAggregator& operator=(const PairAggregator&) = delete;
  PairAggregator& operator=(PairAggregator&&) = delete;
  ~PairAggregator() = default;

  [[nodiscard]] Status accept(const ItemSet& set);
  // Adds the other's sum and ends it. Both have the same shape.
  void merge(PairAggregator&& other);
  // The aggregator is spent.
  [[nodiscard]] PairSum release() &&;

  [[nodiscard]] std::uint64_t contributions() const { return contributions_; }

 private:
  // Puts the new pairs in order among the others, equal ones added up.
  void settle();

  std::size_t items_;
  PersonWeight weight_;
  Form form_;
  bool spent_ = false;
  std::uint64_t contributions_ = 0;  // sets, the empty ones among them
  std::uint64_t people_ = 0;         // those with an item in theirs
  std::vector<std::uint32_t> popularity_;
  std::vector<std::uint64_t> triangle_;
  std::vector<PairEntry> sorted_;
  std::vector<PairEntry> fresh_;
};

}  // namespace sotto::fed
