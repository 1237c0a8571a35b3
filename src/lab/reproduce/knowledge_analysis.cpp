#include "lab/reproduce/knowledge_analysis.h"

#include <algorithm>
#include <numeric>

namespace sotto::lab {

namespace {

bool keeps(std::span<const ItemIndex> list, const ItemFeatures& features, FeatureIndex feature) {
  return std::any_of(list.begin(), list.end(), [&](ItemIndex item) {
    const auto row = features.of(item);
    return std::binary_search(row.begin(), row.end(), feature);
  });
}

double share_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<FeatureIndex> most_informative(const FeatureProfile& profile, std::size_t k) {
  std::vector<std::size_t> order(profile.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Rows ascend, so a stable sort leaves the smaller number first.
  std::stable_sort(order.begin(), order.end(),
                   [&profile](std::size_t a, std::size_t b) { return profile.gains[a] > profile.gains[b]; });
  if (k != all_of_them && k < order.size()) order.resize(k);
  std::vector<FeatureIndex> best;
  for (const std::size_t n : order) best.push_back(profile.features[n]);
  return best;
}

std::optional<double> preserved_share(const FeatureProfile& profile, std::span<const ItemIndex> list,
                                      const ItemFeatures& features, std::size_t k) {
  const std::vector<FeatureIndex> best = most_informative(profile, k);
  if (best.empty()) return std::nullopt;
  const auto kept = std::count_if(best.begin(), best.end(),
                                  [&](FeatureIndex feature) { return keeps(list, features, feature); });
  return share_of(static_cast<std::size_t>(kept), best.size());
}

std::vector<double> preserved_shares(std::span<const FeatureProfile> profiles, const TopLists& lists,
                                     std::size_t cutoff, const ItemFeatures& features, std::size_t k) {
  std::vector<double> shares;
  for (std::size_t row = 0; row < lists.users.size(); ++row) {
    const auto share = preserved_share(profiles[lists.users[row].value], lists.of(row, cutoff), features, k);
    if (share) shares.push_back(*share);
  }
  std::sort(shares.begin(), shares.end());
  return shares;
}

std::optional<double> retained_share(const FeatureProfile& profile, const FeatureProfile& later,
                                     std::size_t k) {
  const std::vector<FeatureIndex> best = most_informative(profile, k);
  if (best.empty()) return std::nullopt;
  const auto kept = std::count_if(best.begin(), best.end(), [&later](FeatureIndex feature) {
    return std::binary_search(later.features.begin(), later.features.end(), feature);
  });
  return share_of(static_cast<std::size_t>(kept), best.size());
}

std::vector<double> retained_shares(std::span<const FeatureProfile> profiles,
                                    std::span<const FeatureProfile> later, const TopLists& lists,
                                    std::size_t k) {
  std::vector<double> shares;
  for (const UserIndex user : lists.users)
    if (const auto share = retained_share(profiles[user.value], later[user.value], k))
      shares.push_back(*share);
  std::sort(shares.begin(), shares.end());
  return shares;
}

std::vector<WeighedFeature> weighed_features(std::span<const FeatureProfile> profiles, std::size_t features,
                                             std::size_t most) {
  std::vector<double> sums(features, 0.0);
  for (const FeatureProfile& profile : profiles)
    for (std::size_t n = 0; n < profile.features.size(); ++n)
      sums[profile.features[n].value] += static_cast<double>(profile.gains[n]);
  std::vector<WeighedFeature> all;
  for (std::uint32_t feature = 0; feature < features; ++feature)
    if (sums[feature] > 0.0) all.push_back({FeatureIndex{feature}, sums[feature]});
  std::stable_sort(all.begin(), all.end(),
                   [](const WeighedFeature& a, const WeighedFeature& b) { return a.weight > b.weight; });
  if (all.size() > most) all.resize(most);
  return all;
}

double recommended_share(const std::vector<WeighedFeature>& some, const TopLists& lists, std::size_t cutoff,
                         const ItemFeatures& features) {
  std::vector<bool> seen(features.features(), false);
  for (std::size_t row = 0; row < lists.users.size(); ++row)
    for (const ItemIndex item : lists.of(row, cutoff))
      for (const FeatureIndex feature : features.of(item)) seen[feature.value] = true;
  const auto kept = std::count_if(some.begin(), some.end(),
                                  [&seen](const WeighedFeature& one) { return seen[one.feature.value]; });
  return share_of(static_cast<std::size_t>(kept), some.size());
}

double common_share(const std::vector<WeighedFeature>& some, const std::vector<WeighedFeature>& others) {
  const auto kept = std::count_if(some.begin(), some.end(), [&others](const WeighedFeature& one) {
    return std::any_of(others.begin(), others.end(),
                       [&one](const WeighedFeature& other) { return other.feature == one.feature; });
  });
  return share_of(static_cast<std::size_t>(kept), some.size());
}

Histories lists_as_histories(const TopLists& lists, std::size_t cutoff, std::size_t users) {
  std::vector<std::size_t> row_of(users, lists.users.size());
  for (std::size_t row = 0; row < lists.users.size(); ++row) row_of[lists.users[row].value] = row;
  std::vector<std::uint64_t> ends{0};
  std::vector<ItemIndex> items;
  for (const std::size_t row : row_of) {
    if (row < lists.users.size()) {
      const auto list = lists.of(row, cutoff);
      items.insert(items.end(), list.begin(), list.end());
      std::sort(items.begin() + static_cast<std::ptrdiff_t>(ends.back()), items.end());
    }
    ends.push_back(items.size());
  }
  return {std::move(ends), std::move(items)};
}

}  // namespace sotto::lab
