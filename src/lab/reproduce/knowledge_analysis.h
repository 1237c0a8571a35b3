// What lists keep of what people care about (thesis 6.6.4): functions of profiles, lists and features.
//
// A profile's most informative features are those of the largest gain; of equal gains the smaller number
// comes first. A list keeps a feature if one of its items has it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "data/histories.h"
#include "data/item_features.h"
#include "metrics/top_lists.h"
#include "model/kgflex/profile.h"

namespace sotto::lab {

inline constexpr std::size_t all_of_them = 0;  // instead of a k: the whole profile

// The k most informative features of a profile, best first; fewer where it has fewer.
[[nodiscard]] std::vector<FeatureIndex> most_informative(const FeatureProfile& profile, std::size_t k);

// Of those the share that the list keeps; none for an empty profile.
[[nodiscard]] std::optional<double> preserved_share(const FeatureProfile& profile,
                                                    std::span<const ItemIndex> list,
                                                    const ItemFeatures& features, std::size_t k);

// The shares of everybody who has a list and a profile, ascending. Profiles are numbered as users are.
[[nodiscard]] std::vector<double> preserved_shares(std::span<const FeatureProfile> profiles,
                                                   const TopLists& lists, std::size_t cutoff,
                                                   const ItemFeatures& features, std::size_t k);

// Of the k most informative features of one profile the share that another holds; none where the first is
// empty.
[[nodiscard]] std::optional<double> retained_share(const FeatureProfile& profile, const FeatureProfile& later,
                                                   std::size_t k);
// The same of everybody who has a list, ascending.
[[nodiscard]] std::vector<double> retained_shares(std::span<const FeatureProfile> profiles,
                                                  std::span<const FeatureProfile> later,
                                                  const TopLists& lists, std::size_t k);

struct WeighedFeature {
  FeatureIndex feature;
  double weight = 0.0;
};
// Everybody's gains added up: the most informative features of all, at most `most`, the heaviest first.
[[nodiscard]] std::vector<WeighedFeature> weighed_features(std::span<const FeatureProfile> profiles,
                                                           std::size_t features, std::size_t most);

// The share of `some` that an item of any list has.
[[nodiscard]] double recommended_share(const std::vector<WeighedFeature>& some, const TopLists& lists,
                                       std::size_t cutoff, const ItemFeatures& features);
// The share of `some` that is among `others`.
[[nodiscard]] double common_share(const std::vector<WeighedFeature>& some,
                                  const std::vector<WeighedFeature>& others);

// The lists as if they were what people consumed; who has no list has an empty history.
[[nodiscard]] Histories lists_as_histories(const TopLists& lists, std::size_t cutoff, std::size_t users);

}  // namespace sotto::lab
