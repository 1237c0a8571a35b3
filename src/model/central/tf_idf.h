// TF-IDF of items over what is known about them, and of people over their items. What VSM compares and where
// kaHFM starts.
//
// An item has a feature or has it not, so tf is 1 or 0, and idf_f = ln(N / n_f): N items have any feature,
// n_f have f. An item's row is idf over its features, scaled to length 1; binary: the same with 1 for idf. A
// person's profile is made of the rows of their items: the mean over those that have the feature
// (ProfileRule::mean, what the framework Elliot takes) or over all of them (ProfileRule::centroid); binary: 1
// where any item has it.
// Laws: every number is finite and 0 or larger; an item without features, or with those only that every item
// has, has a row of zeros, and somebody with such items only a profile of zeros; N and n_f are counted over
// all items of the split, since what is known about items is no secret of the test part.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/item_features.h"

namespace sotto::model {

enum class FeatureWeights : std::uint8_t { tf_idf, binary };
[[nodiscard]] Result<FeatureWeights> parse_feature_weights(const std::string& text);
[[nodiscard]] const char* to_string(FeatureWeights weights);

enum class ProfileRule : std::uint8_t { mean, centroid };
[[nodiscard]] Result<ProfileRule> parse_profile_rule(const std::string& text);
[[nodiscard]] const char* to_string(ProfileRule rule);

class TfIdf {
 public:
  explicit TfIdf(std::shared_ptr<const ItemFeatures> features,
                 FeatureWeights weights = FeatureWeights::tf_idf);

  [[nodiscard]] const ItemFeatures& features() const { return *features_; }
  // Item by item, each in the order of features().of(item).
  [[nodiscard]] std::span<const float> values() const { return values_; }
  [[nodiscard]] std::span<const float> of(ItemIndex item) const {
    return std::span(values_).subspan(ends_[item.value], ends_[item.value + 1] - ends_[item.value]);
  }
  // The profile of somebody with these items, one number a feature.
  void profile(std::span<const ItemIndex> history, ProfileRule rule, std::span<float> out) const;

 private:
  std::shared_ptr<const ItemFeatures> features_;
  FeatureWeights weights_;
  std::vector<std::uint64_t> ends_{0};
  std::vector<float> values_;
};

}  // namespace sotto::model
