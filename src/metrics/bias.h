// Whether the lists lean towards what is popular anyway, or away from what people chose before.
//
// The head is the most popular items of the training part (ties by item index) until their interactions
// reach 80% of all; the item that crosses the line belongs to it. Everything else in the catalogue is the
// long tail. Shares of two groups are compared by standard deviation over mean: 0 is even-handed, 1 says
// that one group gets all. Where a group has nothing to be recommended the comparison is not a number.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/histories.h"
#include "metrics/top_lists.h"

namespace sotto::metrics {

using Popularity = std::span<const std::uint32_t>;  // training interactions of each item of the catalogue

// 1 for the items of the head, 0 for the long tail.
[[nodiscard]] std::vector<std::uint8_t> popular_head(Popularity popularity, double share = 0.8);

// ARP: the mean over users of the mean popularity of their list.
[[nodiscard]] double average_popularity(const TopLists& lists, std::size_t cutoff, Popularity popularity);
// APLT: the mean over users of the share of long-tail items in their list.
[[nodiscard]] double long_tail_share(const TopLists& lists, std::size_t cutoff,
                                     std::span<const std::uint8_t> head);
// ACLT: the mean over users of the number of long-tail items in their list.
[[nodiscard]] double long_tail_count(const TopLists& lists, std::size_t cutoff,
                                     std::span<const std::uint8_t> head);

// The items that a user is judged on, or that were masked for them; ascending.
using ItemsOf = std::function<std::span<const ItemIndex>(UserIndex)>;

// PopREO: do head and tail have the same chance that a relevant item is found? hits / relevant, per group.
[[nodiscard]] double popularity_opportunity(const TopLists& lists, std::size_t cutoff,
                                            std::span<const std::uint8_t> head, const ItemsOf& relevant);
// PopRSP: do they have the same chance to be shown? recommended / recommendable, per group. `masked` holds
// the parts whose items were not recommendable to their user; the parts are disjoint.
[[nodiscard]] double popularity_parity(const TopLists& lists, std::size_t cutoff,
                                       std::span<const std::uint8_t> head, std::span<const ItemsOf> masked);

// Bias disparity of one category (thesis eqs. 2.13–2.15). A bias is the category's share of the
// interactions (or of the places in the lists) over its share of the catalogue.
struct CategoryBias {
  std::string category;
  std::uint64_t items = 0;  // of the catalogue
  double source = 0.0;      // in the training histories of the judged users
  double recommended = 0.0;
  double disparity = 0.0;  // (recommended − source) / source; not a number where source is 0
};

// One entry a category that occurs in the catalogue, in alphabetical order. Items without a category (an
// empty label) are left out everywhere.
[[nodiscard]] std::vector<CategoryBias> bias_disparity(const TopLists& lists, std::size_t cutoff,
                                                       std::span<const std::string> categories,
                                                       const Histories& train, std::size_t catalogue);

}  // namespace sotto::metrics
