// How many of the items a person went for were in their list, and how early.
//
// Each function judges one user by their JudgedList: which places of the list, best first, hold one of the
// person's items of the judged part, and how many of those there are (at least one). Items outside the
// catalogue are among them too: nobody can recommend them, but they count. Definitions are those of the
// Elliot framework, so that numbers can be laid beside the papers'.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/score_kernels.h"
#include "data/ids.h"

namespace sotto::metrics {

using ItemList = std::span<const ItemIndex>;

class JudgedList {
 public:
  // Looks each item of the list up once; `relevant` is ascending. Can be called again for another user.
  void judge(ItemList list, ItemList relevant);

  [[nodiscard]] std::span<const std::uint8_t> hits() const { return hits_; }  // 1 or 0 a place
  [[nodiscard]] std::size_t relevant() const { return relevant_; }

 private:
  std::vector<std::uint8_t> hits_;
  std::size_t relevant_ = 0;
};

// Hits among the first k places.
[[nodiscard]] std::size_t hits_at(const JudgedList& list, std::size_t k);

// hits / k, also where the list is shorter than k.
[[nodiscard]] double precision_at(const JudgedList& list, std::size_t k);
// hits / |relevant|.
[[nodiscard]] double recall_at(const JudgedList& list, std::size_t k);
// Of a precision and a recall: 2PR / (P + R), 0 where both are 0.
[[nodiscard]] inline double f1_of(double precision, double recall) {
  return precision + recall > 0.0 ? 2.0 * precision * recall / (precision + recall) : 0.0;
}
// Harmonic mean of this user's precision and recall (0 without a hit); averaged over users afterwards.
[[nodiscard]] double f1_at(const JudgedList& list, std::size_t k);
// 1 with at least one hit, else 0.
[[nodiscard]] double hit_rate_at(const JudgedList& list, std::size_t k);
// Σ over hits of 1/log2(place + 1), over the same sum for min(k, |relevant|) hits in the first places.
[[nodiscard]] double ndcg_at(const JudgedList& list, std::size_t k);
// CaseRecommender's: Σ over hits of 1 for places 1 and 2 and 1/log2(place) after, over the same sum for as
// many hits in the first places; 0 without a hit. What was missed costs nothing: one early hit alone gives 1.
[[nodiscard]] double ndcg_of_hits_at(const JudgedList& list, std::size_t k);
// 1 / place of the first hit, 0 without one.
[[nodiscard]] double reciprocal_rank_at(const JudgedList& list, std::size_t k);
// Mean of precision_at 1, 2, …, k. (Elliot's reading: places without a hit count as well.)
[[nodiscard]] double average_precision_at(const JudgedList& list, std::size_t k);

// Chance that a relevant item stands above a negative (a candidate that is not relevant), ties counting
// half. `pairs` counts the pairs of each of the `known` relevant items within the catalogue with each
// negative; the rest of the `relevant` stand below all. Without negatives each known item counts 1.
[[nodiscard]] double area_under_curve(const kernels::PairCount& pairs, std::uint64_t known,
                                      std::uint64_t negatives, std::uint64_t relevant);

}  // namespace sotto::metrics
