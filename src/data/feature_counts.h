// How many items of a list have each of its features, and what is left when rare ones go.
#pragma once

#include <cstdint>
#include <vector>

#include "data/feature_list.h"
#include "data/item_features.h"

namespace sotto::data {

struct CountedFeature {
  std::uint32_t predicate = 0, object = 0;
  std::uint32_t items = 0;
};

// In the order of (predicate, object) numbers. The list is settled.
[[nodiscard]] std::vector<CountedFeature> count_features(const FeatureList& list);
[[nodiscard]] bool keeps(const FeatureFilter& filter, const FeatureList& list, const CountedFeature& feature);

// The facts that the filter keeps; items without any stay in the table of items. The facts are those that
// ItemFeatures would keep.
void drop_rare(FeatureList& list, const FeatureFilter& filter);

}  // namespace sotto::data
