#include "data/feature_counts.h"

#include <algorithm>

namespace sotto::data {

namespace {

std::uint64_t key_of(std::uint32_t predicate, std::uint32_t object) {
  return std::uint64_t{predicate} << 32 | object;
}

}  // namespace

std::vector<CountedFeature> count_features(const FeatureList& list) {
  std::vector<std::uint64_t> keys;
  keys.reserve(list.facts.size());
  for (const FeatureFact& fact : list.facts) keys.push_back(key_of(fact.predicate, fact.object));
  std::sort(keys.begin(), keys.end());
  std::vector<CountedFeature> features;
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    while (end < keys.size() && keys[end] == keys[begin]) ++end;
    features.push_back({static_cast<std::uint32_t>(keys[begin] >> 32),
                        static_cast<std::uint32_t>(keys[begin]), static_cast<std::uint32_t>(end - begin)});
  }
  return features;
}

bool keeps(const FeatureFilter& filter, const FeatureList& list, const CountedFeature& feature) {
  return feature.items >= filter.min_items && list.hops[feature.predicate] <= filter.max_hops;
}

void drop_rare(FeatureList& list, const FeatureFilter& filter) {
  std::vector<std::uint64_t> kept;  // ascending, as they are counted
  for (const CountedFeature& feature : count_features(list))
    if (keeps(filter, list, feature)) kept.push_back(key_of(feature.predicate, feature.object));
  std::erase_if(list.facts, [&](const FeatureFact& fact) {
    return !std::binary_search(kept.begin(), kept.end(), key_of(fact.predicate, fact.object));
  });
}

}  // namespace sotto::data
