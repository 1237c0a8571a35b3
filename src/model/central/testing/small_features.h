// For tests: features of a few items, written by hand or drawn at random.
#pragma once

#include <rapidcheck.h>

#include <memory>
#include <string>

#include "data/item_features.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::model {

// rows[i] are the features of item i, by the numbers they will have; those below the largest that no item has
// would not be features, so each must occur.
inline std::shared_ptr<const ItemFeatures> features_of(const Rows& rows) {
  FeatureList list;
  IdTable items;
  const std::uint32_t predicate = list.intern_predicate("about");
  for (std::uint32_t item = 0; item < rows.size(); ++item) {
    items.intern("item " + std::to_string(item));
    const std::uint32_t listed = list.items.intern("item " + std::to_string(item));
    for (const std::uint32_t feature : rows[item])
      list.facts.push_back({listed, predicate, list.objects.intern(std::to_string(1000 + feature))});
  }
  list.settle();
  return std::make_shared<const ItemFeatures>(list, items, FeatureFilter{.min_items = 1});
}

// Random features of each item, some items without any.
inline std::shared_ptr<const ItemFeatures> random_features(std::size_t items, std::uint32_t features,
                                                           int percent) {
  return features_of(random_rows(items, features, percent));
}

}  // namespace sotto::model
