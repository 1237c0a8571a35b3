// How many of the items a person went for were in their list, and how early.
//
// Each function judges one user: `list` is the recommended items, best first; `relevant` is the
// person's items of the judged part, ascending, at least one. Items outside the catalogue are in
// `relevant` too: nobody can recommend them, but they count. Definitions are those of the Elliot
// framework, so that numbers can be laid beside the papers'.
#pragma once

#include <cstdint>
#include <span>

#include "data/ids.h"

namespace sotto {

using ItemList = std::span<const ItemIndex>;

// Hits among the first k places.
[[nodiscard]] std::size_t hits_at(ItemList list, ItemList relevant, std::size_t k);

// hits / k, also where the list is shorter than k.
[[nodiscard]] double precision_at(ItemList list, ItemList relevant, std::size_t k);
// hits / |relevant|.
[[nodiscard]] double recall_at(ItemList list, ItemList relevant, std::size_t k);
// Harmonic mean of this user's precision and recall (0 without a hit); averaged over users afterwards.
[[nodiscard]] double f1_at(ItemList list, ItemList relevant, std::size_t k);
// 1 with at least one hit, else 0.
[[nodiscard]] double hit_rate_at(ItemList list, ItemList relevant, std::size_t k);
// Σ over hits of 1/log2(place + 1), over the same sum for min(k, |relevant|) hits in the first places.
[[nodiscard]] double ndcg_at(ItemList list, ItemList relevant, std::size_t k);
// 1 / place of the first hit, 0 without one.
[[nodiscard]] double reciprocal_rank_at(ItemList list, ItemList relevant, std::size_t k);
// Mean of precision_at 1, 2, …, k. (Elliot's reading: places without a hit count as well.)
[[nodiscard]] double average_precision_at(ItemList list, ItemList relevant, std::size_t k);

// What the whole ranking says of one relevant item: how many of the negatives (candidates that are not
// relevant) score above it, and how many the same.
struct RankCount {
  std::uint64_t above = 0;
  std::uint64_t level = 0;
};

// Chance that a relevant item stands above a negative, ties counting half. A relevant item outside the
// catalogue stands below all: it is in `relevant` but not in `ranks`. Without negatives each of `ranks`
// counts 1.
[[nodiscard]] double area_under_curve(std::span<const RankCount> ranks, std::uint64_t negatives,
                                      std::size_t relevant);

}  // namespace sotto
