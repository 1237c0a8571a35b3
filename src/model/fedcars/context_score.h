// The context score C_p of Fed-CARS (§3.3, eq. 8) and the contextual neighbours that it orders: how a
// person's own records spread over the values of each dimension, and which other items are alike in context
// to what they rated last. For the person, on their own device; nothing of it leaves.
//
// The paper prints C_p = −1/log2 D · Σ_d Σ_m (v_dm/n) log2 (v_dm/n) and says that it lies between 0 and 1,
// which it does not: each dimension can reach log2 M_d. It is read as (1/D) Σ_d H_d/log2 M_d with 0·log 0 = 0
// and a dimension of one value counting 0. Spread tells little, so what is shown is the informativeness, 1 −
// C_p. Laws: spread and informativeness lie in [0, 1]; they do not depend on the order of values; one value
// alone spreads 0, all values equally often 1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/contexts.h"
#include "data/histories.h"

namespace sotto::model {

struct ContextCounts {
  std::vector<std::vector<std::uint32_t>> of;  // a dimension: how often each of its values occurs
  std::vector<std::uint32_t> records_with;     // a dimension: the records that have any value there
  std::uint32_t records = 0;
};
// Over the training records of one person. An item's or the person's own value counts once a record.
[[nodiscard]] ContextCounts count_contexts(const Contexts& contexts, const Histories& train, UserIndex user);

// H_d/log2 M_d of one dimension's counts; 0 where there are none.
[[nodiscard]] double spread(std::span<const std::uint32_t> counts);
[[nodiscard]] double context_score(const ContextCounts& counts);
[[nodiscard]] inline double informativeness(std::span<const std::uint32_t> counts) {
  return 1.0 - spread(counts);
}
// As printed, with the number of records as n; none where it would divide by log2 1 or by no record.
[[nodiscard]] std::optional<double> literal_context_score(const ContextCounts& counts);

// The newest `most` of a person's items; the newest first. All of them where their order is not known.
[[nodiscard]] std::vector<ItemIndex> newest_items(const Histories& histories, UserIndex user,
                                                  std::size_t most);

struct ContextNeighbour {
  ItemIndex item;
  double likeness = 0.0;  // 0 to 1
};
// The items of [0, catalogue) that are most alike to those of `recent`, by the dimensions that come from
// items: of each the mean over `recent` of the share of common values (of years: how near they are, 0 from
// ten years on), weighed by `weights` (one a dimension; 0: it is not looked at). The most alike first, of
// equal ones the smaller item; without items of `had` (ascending) and without those that have nothing in
// common.
[[nodiscard]] std::vector<ContextNeighbour> contextual_neighbours(const Contexts& contexts,
                                                                  std::span<const ItemIndex> recent,
                                                                  std::span<const ItemIndex> had,
                                                                  std::span<const double> weights,
                                                                  std::size_t catalogue, std::size_t most);

}  // namespace sotto::model
