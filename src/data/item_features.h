// ItemFeatures: the features of a split's items, in numbers. A feature is a predicate chain and an object
// that at least one item has. Both directions are kept: an item's features and a feature's items.
//
// Laws: items are those of the split, in its numbering, and those without features have an empty row; rows
// ascend; features are numbered by (hops, predicate, object) in the order of their names, so that the same
// facts give the same numbers whatever the order of the file; every feature is held by an item.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"
#include "base/result.h"
#include "data/feature_list.h"
#include "data/ids.h"

namespace sotto::data {

using FeatureIndex = Index<struct FeatureTag>;

}  // namespace sotto::data

template <>
inline constexpr bool sotto::base::codec_plain<sotto::data::FeatureIndex> = true;

namespace sotto::data {

struct FeatureFilter {
  std::uint32_t min_items = 10;  // features of fewer items are dropped; counted over all items of the list
  std::uint32_t max_hops = 2;    // longer chains are dropped
};

class ItemFeatures {
 public:
  ItemFeatures() = default;
  // The facts about `items`, which the split numbers. The features of items that it lacks are left out.
  ItemFeatures(const FeatureList& list, const IdTable& items, const FeatureFilter& filter = {});

  [[nodiscard]] std::size_t items() const { return item_ends_.size() - 1; }
  [[nodiscard]] std::size_t features() const { return feature_ends_.size() - 1; }
  [[nodiscard]] std::size_t facts() const { return by_item_.size(); }
  [[nodiscard]] std::span<const FeatureIndex> of(ItemIndex item) const {
    return std::span(by_item_).subspan(item_ends_[item.value],
                                       item_ends_[item.value + 1] - item_ends_[item.value]);
  }
  [[nodiscard]] std::span<const ItemIndex> items_with(FeatureIndex feature) const {
    return std::span(by_feature_)
        .subspan(feature_ends_[feature.value],
                 feature_ends_[feature.value + 1] - feature_ends_[feature.value]);
  }
  [[nodiscard]] std::uint8_t hops(FeatureIndex feature) const { return hops_[predicate_of_[feature.value]]; }
  [[nodiscard]] std::string_view predicate(FeatureIndex feature) const {
    return predicates_.name(predicate_of_[feature.value]);
  }
  [[nodiscard]] std::string_view object(FeatureIndex feature) const {
    return objects_.name(object_of_[feature.value]);
  }
  // Items without a feature, of the first so many.
  [[nodiscard]] std::size_t items_without(std::size_t first) const;
  // Names items, features and facts.
  [[nodiscard]] std::string hash() const;

 private:
  friend Bytes save_features(const ItemFeatures& features);
  friend Result<ItemFeatures> load_features(std::span<const std::byte> bytes, const std::string& name);

  void index_by_feature(std::size_t features);

  IdTable predicates_, objects_;
  std::vector<std::uint8_t> hops_;                       // one a predicate
  std::vector<std::uint32_t> predicate_of_, object_of_;  // one a feature
  std::vector<std::uint64_t> item_ends_{0}, feature_ends_{0};
  std::vector<FeatureIndex> by_item_;
  std::vector<ItemIndex> by_feature_;
};

// As bytes, and back; bytes that break a law are refused.
[[nodiscard]] Bytes save_features(const ItemFeatures& features);
[[nodiscard]] Result<ItemFeatures> load_features(std::span<const std::byte> bytes, const std::string& name);

// A feature for people: "dct:subject American science fiction films". Known namespaces become prefixes, the
// object its last part with spaces; the parts of a chain are joined by " › ".
[[nodiscard]] std::string predicate_in_words(std::string_view chain);
[[nodiscard]] std::string object_in_words(std::string_view object);
// "dbo:starring" as "http://dbpedia.org/ontology/starring"; names without a known prefix as they are.
[[nodiscard]] std::string full_name(const std::string& prefixed);
[[nodiscard]] std::string feature_in_words(const ItemFeatures& features, FeatureIndex feature);

}  // namespace sotto::data
