// Items with features drawn at random, and lists of things by person: what the audit's small KGFlex
// federation (small_knowledge.h) is about.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "data/histories.h"
#include "data/item_features.h"

namespace sotto::privacy::audit_test {

struct KnowledgeOptions {
  std::uint32_t users = 40, items = 200, features = 120, features_an_item = 8, loved = 3, history = 12;
  std::uint32_t profile = 25, pairs = 12, factors = 3;
  std::uint32_t kept_back = 0;  // the first so many features leave in nobody's message
  bool random_rows = false;     // the null control: rows and numbers that follow from nothing
  std::uint64_t seed = 11;
};

inline ItemFeatures made_features(const KnowledgeOptions& options, Stream& draws) {
  FeatureList list;
  list.intern_predicate("about");
  for (std::uint32_t item = 0; item < options.items; ++item) {
    list.items.intern("i" + std::to_string(item));
    for (std::uint32_t n = 0; n < options.features_an_item; ++n)
      list.facts.push_back(
          {item, 0, list.objects.intern("o" + std::to_string(draws.below(options.features)))});
  }
  list.settle();
  return {list, list.items, {.min_items = 1, .max_hops = 1}};
}

inline Histories joined(const std::vector<std::vector<ItemIndex>>& rows) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> all;
  for (const auto& row : rows) {
    all.insert(all.end(), row.begin(), row.end());
    offsets.push_back(all.size());
  }
  return {std::move(offsets), std::move(all)};
}

}  // namespace sotto::privacy::audit_test
