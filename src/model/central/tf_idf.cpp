#include "model/central/tf_idf.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/math.h"

namespace sotto::model {

namespace {

std::vector<double> inverse_frequencies(const ItemFeatures& features, FeatureWeights weights) {
  std::vector<double> idf(features.features(), 1.0);
  if (weights == FeatureWeights::binary) return idf;
  const auto documents = static_cast<double>(features.items() - features.items_without(features.items()));
  for (std::uint32_t feature = 0; feature < idf.size(); ++feature) {
    const auto holders = static_cast<double>(features.items_with(FeatureIndex{feature}).size());
    // The logarithm of 1 is 0 to the last bit here, whatever the series gives.
    idf[feature] = holders < documents ? log_f64(documents / holders) : 0.0;
  }
  return idf;
}

}  // namespace

Result<FeatureWeights> parse_feature_weights(const std::string& text) {
  for (const FeatureWeights weights : {FeatureWeights::tf_idf, FeatureWeights::binary})
    if (text == to_string(weights)) return weights;
  return fail(Code::usage, "unknown feature weights '" + text + "': choose tfidf or binary");
}

const char* to_string(FeatureWeights weights) {
  return weights == FeatureWeights::tf_idf ? "tfidf" : "binary";
}

Result<ProfileRule> parse_profile_rule(const std::string& text) {
  for (const ProfileRule rule : {ProfileRule::mean, ProfileRule::centroid})
    if (text == to_string(rule)) return rule;
  return fail(Code::usage, "unknown profile rule '" + text + "': choose mean or centroid");
}

const char* to_string(ProfileRule rule) { return rule == ProfileRule::mean ? "mean" : "centroid"; }

TfIdf::TfIdf(std::shared_ptr<const ItemFeatures> features, FeatureWeights weights)
    : features_(std::move(features)), weights_(weights) {
  SOTTO_ASSERT(features_ != nullptr, "content models have features");
  const std::vector<double> idf = inverse_frequencies(*features_, weights);
  values_.reserve(features_->facts());
  ends_.reserve(features_->items() + 1);
  for (std::uint32_t item = 0; item < features_->items(); ++item) {
    double squares = 0.0;
    for (const FeatureIndex feature : features_->of(ItemIndex{item}))
      squares += idf[feature.value] * idf[feature.value];
    const double scale = squares > 0.0 ? 1.0 / std::sqrt(squares) : 0.0;
    for (const FeatureIndex feature : features_->of(ItemIndex{item}))
      values_.push_back(static_cast<float>(scale * idf[feature.value]));
    ends_.push_back(values_.size());
  }
}

void TfIdf::profile(std::span<const ItemIndex> history, ProfileRule rule, std::span<float> out) const {
  SOTTO_ASSERT(out.size() == features_->features(), "one place for each feature");
  std::fill(out.begin(), out.end(), 0.0f);
  if (history.empty()) return;
  std::vector<std::uint32_t> holders(out.size(), 0);
  for (const ItemIndex item : history) {
    const auto features = features_->of(item);
    const auto values = of(item);
    for (std::size_t n = 0; n < features.size(); ++n) {
      out[features[n].value] += values[n];
      ++holders[features[n].value];
    }
  }
  const auto items = static_cast<float>(history.size());
  for (std::size_t feature = 0; feature < out.size(); ++feature) {
    if (holders[feature] == 0) continue;
    if (weights_ == FeatureWeights::binary)
      out[feature] = 1.0f;
    else
      out[feature] /= rule == ProfileRule::mean ? static_cast<float>(holders[feature]) : items;
  }
}

}  // namespace sotto::model
