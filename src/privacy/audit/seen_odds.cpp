#include "privacy/audit/seen_odds.h"

#include <cmath>

namespace sotto::privacy {

namespace {

// So many pairs of the average feature stand beside each feature's own.
constexpr double borrowed_pairs = 20.0;

double rate(std::int64_t seen, std::int64_t all, double usual) {
  return (static_cast<double>(seen) + borrowed_pairs * usual) / (static_cast<double>(all) + borrowed_pairs);
}

}  // namespace

SeenOdds::SeenOdds(const ItemFeatures& features)
    : features_(&features), consumed_(features.features()), others_(features.features()) {}

void SeenOdds::add(std::span<const std::uint8_t> seen, std::span<const ItemIndex> history) {
  std::vector<std::int64_t> own(features_->features(), 0);
  for (const ItemIndex item : history)
    for (const FeatureIndex feature : features_->of(item)) ++own[feature.value];
  for (std::uint32_t f = 0; f < own.size(); ++f) {
    const std::int64_t rest = static_cast<std::int64_t>(features_->items_with({f}).size()) - own[f];
    consumed_[f].all += own[f];
    others_[f].all += rest;
    if (seen[f] == 0) continue;
    consumed_[f].seen += own[f];
    others_[f].seen += rest;
  }
}

std::vector<float> SeenOdds::score(std::span<const std::uint8_t> seen) const {
  const auto usual = [](const std::vector<Tally>& tallies) {
    Tally sum;
    for (const Tally& one : tallies) sum.all += one.all, sum.seen += one.seen;
    return (static_cast<double>(sum.seen) + 0.5) / (static_cast<double>(sum.all) + 1.0);
  };
  const double usual_own = usual(consumed_), usual_other = usual(others_);
  std::vector<double> odds(seen.size());
  for (std::size_t f = 0; f < odds.size(); ++f) {
    const double own = rate(consumed_[f].seen, consumed_[f].all, usual_own);
    const double other = rate(others_[f].seen, others_[f].all, usual_other);
    odds[f] = seen[f] != 0 ? std::log(own / other) : std::log((1.0 - own) / (1.0 - other));
  }
  std::vector<float> scores(features_->items(), 0.0f);
  for (std::uint32_t item = 0; item < scores.size(); ++item) {
    double sum = 0.0;
    for (const FeatureIndex feature : features_->of({item})) sum += odds[feature.value];
    scores[item] = static_cast<float>(sum);
  }
  return scores;
}

}  // namespace sotto::privacy
