// How widely the recommendations of all users together spread over the catalogue.
// `counts` says for each item of the catalogue in how many lists it stands.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/top_lists.h"

namespace sotto::metrics {

// How often each item stands in the first `cutoff` places.
[[nodiscard]] std::vector<std::uint64_t> recommendation_counts(const TopLists& lists, std::size_t cutoff,
                                                               std::size_t catalogue);

// IC: the number of items that stand in at least one list.
[[nodiscard]] std::uint64_t item_coverage(std::span<const std::uint64_t> counts);
// Gini: 1 − Gini coefficient over all items of the catalogue, recommended or not (1: all alike).
[[nodiscard]] double gini(std::span<const std::uint64_t> counts);
// GiniRec: the same over the recommended items only (thesis eq. 2.10).
[[nodiscard]] double gini_recommended(std::span<const std::uint64_t> counts);
// SE: Shannon entropy, in bits, of the item in a place drawn at random from all lists.
[[nodiscard]] double shannon_entropy(std::span<const std::uint64_t> counts);

}  // namespace sotto::metrics
