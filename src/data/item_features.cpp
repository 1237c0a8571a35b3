#include "data/item_features.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/hash.h"
#include "data/feature_counts.h"
#include "data/names_io.h"

namespace sotto::data {

namespace {

std::vector<std::uint64_t> ends_of(std::span<const std::uint32_t> counts) {
  std::vector<std::uint64_t> ends{0};
  for (const std::uint32_t count : counts) ends.push_back(ends.back() + count);
  return ends;
}

}  // namespace

ItemFeatures::ItemFeatures(const FeatureList& list, const IdTable& items, const FeatureFilter& filter) {
  // What stays, by number to be found and by name to be numbered.
  std::vector<CountedFeature> kept = count_features(list);
  std::erase_if(kept, [&](const CountedFeature& feature) { return !keeps(filter, list, feature); });
  const auto by_name = [&](std::uint32_t place) {
    return std::tuple(list.hops[kept[place].predicate], list.predicates.name(kept[place].predicate),
                      list.objects.name(kept[place].object));
  };
  std::vector<std::uint32_t> named(kept.size());  // places among the kept, in the order of the names
  std::iota(named.begin(), named.end(), 0u);
  std::sort(named.begin(), named.end(),
            [&](std::uint32_t a, std::uint32_t b) { return by_name(a) < by_name(b); });
  std::vector<std::uint8_t> held(kept.size(), 0);
  const auto number_of = [](const auto& feature) { return std::pair(feature.predicate, feature.object); };

  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // item of the split, place among the kept
  for (const FeatureFact& fact : list.facts) {
    const auto found = std::ranges::lower_bound(kept, number_of(fact), {}, number_of);
    if (found == kept.end() || number_of(*found) != number_of(fact)) continue;
    const auto item = items.find(list.items.name(fact.item));
    if (!item) continue;
    pairs.emplace_back(*item, static_cast<std::uint32_t>(found - kept.begin()));
    held[pairs.back().second] = 1;
  }

  std::vector<std::uint32_t> number(kept.size(), 0);
  for (const std::uint32_t n : named) {
    if (held[n] == 0) continue;
    number[n] = static_cast<std::uint32_t>(predicate_of_.size());
    const std::uint32_t predicate = predicates_.intern(list.predicates.name(kept[n].predicate));
    if (predicate == hops_.size()) hops_.push_back(list.hops[kept[n].predicate]);
    predicate_of_.push_back(predicate);
    object_of_.push_back(objects_.intern(list.objects.name(kept[n].object)));
  }
  for (auto& [item, place] : pairs) place = number[place];
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::uint32_t> counts(items.size(), 0);
  for (const auto& [item, feature] : pairs) {
    ++counts[item];
    by_item_.push_back({feature});
  }
  item_ends_ = ends_of(counts);
  index_by_feature(predicate_of_.size());
}

void ItemFeatures::index_by_feature(std::size_t features) {
  std::vector<std::uint32_t> counts(features, 0);
  for (const FeatureIndex feature : by_item_) ++counts[feature.value];
  feature_ends_ = ends_of(counts);
  by_feature_.resize(by_item_.size());
  std::vector<std::uint64_t> next(feature_ends_.begin(), feature_ends_.end() - 1);
  for (std::uint32_t item = 0; item < items(); ++item)
    for (const FeatureIndex feature : of({item})) by_feature_[next[feature.value]++] = {item};
}

std::size_t ItemFeatures::items_without(std::size_t first) const {
  std::size_t without = 0;
  for (std::uint32_t item = 0; item < first; ++item) without += of({item}).empty() ? 1 : 0;
  return without;
}

std::string ItemFeatures::hash() const {
  Hasher hasher;
  hasher.bytes(save_features(*this));
  return std::move(hasher).hex();
}

Bytes save_features(const ItemFeatures& features) {
  Writer out;
  write_names(out, features.predicates_);
  write_names(out, features.objects_);
  out.array(std::span(features.hops_));
  out.array(std::span(features.predicate_of_));
  out.array(std::span(features.object_of_));
  out.array(std::span(features.item_ends_));
  out.array(std::span(features.by_item_));
  return std::move(out).take();
}

Result<ItemFeatures> load_features(std::span<const std::byte> bytes, const std::string& name) {
  const auto refuse = [&] {
    return fail(Code::bad_input, name + ": the features are damaged: make them again from their source");
  };
  ItemFeatures features;
  Reader in(bytes);
  if (!read_names(in, features.predicates_) || !read_names(in, features.objects_)) return refuse();
  features.hops_ = in.array<std::uint8_t>();
  features.predicate_of_ = in.array<std::uint32_t>();
  features.object_of_ = in.array<std::uint32_t>();
  features.item_ends_ = in.array<std::uint64_t>();
  features.by_item_ = in.array<FeatureIndex>();
  const std::size_t count = features.predicate_of_.size();
  if (!in.finished() || features.hops_.size() != features.predicates_.size() ||
      features.object_of_.size() != count || std::ranges::count(features.hops_, 0) > 0 ||
      !spans(features.item_ends_, features.by_item_.size()))
    return refuse();
  for (std::size_t n = 0; n < count; ++n)
    if (features.predicate_of_[n] >= features.predicates_.size() ||
        features.object_of_[n] >= features.objects_.size())
      return refuse();
  for (std::uint32_t item = 0; item < features.items(); ++item) {
    const auto row = features.of({item});
    for (std::size_t n = 0; n < row.size(); ++n)
      if (row[n].value >= count || (n > 0 && row[n - 1] >= row[n])) return refuse();
  }
  features.index_by_feature(count);
  for (std::uint32_t n = 0; n < count; ++n)
    if (features.items_with({n}).empty()) return refuse();
  return features;
}

}  // namespace sotto::data
