#include "model/kgflex/profile.h"

#include <algorithm>

#include "base/rng.h"

namespace sotto::model {

namespace {

// So many distinct items of the catalogue that are not in the history, or all there are.
std::vector<ItemIndex> draw_others(std::span<const ItemIndex> history, UserIndex user, std::size_t catalogue,
                                   std::size_t wanted, std::uint64_t seed) {
  std::vector<ItemIndex> others;
  const std::size_t there = catalogue - history.size();
  Stream stream(seed, Purpose::profile_negatives, 0, user.value);
  if (wanted * 2 < there) {
    // Few of many: draw until there are enough.
    std::vector<std::uint8_t> taken(catalogue, 0);
    for (const ItemIndex item : history) taken[item.value] = 1;
    while (others.size() < wanted) {
      const ItemIndex item{stream.below(static_cast<std::uint32_t>(catalogue))};
      if (taken[item.value]++ == 0)
        others.push_back(item);
      else
        taken[item.value] = 1;
    }
    return others;
  }
  auto next = history.begin();
  for (std::uint32_t item = 0; item < catalogue; ++item) {
    if (next != history.end() && next->value == item)
      ++next;
    else
      others.push_back({item});
  }
  for (std::size_t n = 0; n < std::min(wanted, there); ++n)
    std::swap(others[n], others[n + stream.below(static_cast<std::uint32_t>(there - n))]);
  others.resize(std::min(wanted, there));
  return others;
}

// Counts features without going over all of them for each person.
class FeatureCounter {
 public:
  explicit FeatureCounter(const ItemFeatures& features)
      : features_(features), positives_(features.features(), 0), negatives_(features.features(), 0) {}

  [[nodiscard]] OwnedProfile profile(std::span<const ItemIndex> history, UserIndex user,
                                     std::size_t catalogue, const ProfileOptions& options,
                                     const KeepsBack& keeps_back) {
    if (history.empty() || history.size() >= catalogue) return {};
    return over(history,
                draw_others(history, user, catalogue, history.size() * options.negatives, options.seed),
                options, [&](FeatureIndex feature) { return keeps_back && keeps_back(user, feature); });
  }

  template <class KeptBack>
  [[nodiscard]] OwnedProfile over(std::span<const ItemIndex> history, std::span<const ItemIndex> others,
                                  const ProfileOptions& options, const KeptBack& kept_back) {
    for (const ItemIndex item : history)
      for (const FeatureIndex feature : features_.of(item))
        if (positives_[feature.value]++ == 0) seen_.push_back(feature);
    for (const ItemIndex item : others)
      for (const FeatureIndex feature : features_.of(item)) ++negatives_[feature.value];
    for (auto& weighed : weighed_) weighed.clear();
    for (const FeatureIndex feature : seen_) {
      if (kept_back(feature)) continue;
      const double gain = feature_gain(options.gain, {positives_[feature.value], negatives_[feature.value],
                                                      static_cast<std::uint32_t>(history.size()),
                                                      static_cast<std::uint32_t>(others.size())});
      const std::size_t hop = std::min<std::size_t>(features_.hops(feature), ProfileOptions::most_hops) - 1;
      if (static_cast<float>(gain) > options.least_gain)
        weighed_[hop].push_back({static_cast<float>(gain), feature});
    }
    forget(others);
    return best(options);
  }

 private:
  struct Weighed {
    float gain = 0.0f;
    FeatureIndex feature;
  };

  void forget(std::span<const ItemIndex> others) {
    for (const FeatureIndex feature : seen_) positives_[feature.value] = 0;
    for (const ItemIndex item : others)
      for (const FeatureIndex feature : features_.of(item)) negatives_[feature.value] = 0;
    seen_.clear();
  }

  [[nodiscard]] OwnedProfile best(const ProfileOptions& options) {
    std::vector<Weighed> kept;
    for (std::size_t hop = 0; hop < weighed_.size(); ++hop) {
      std::vector<Weighed>& weighed = weighed_[hop];
      const std::size_t most = std::min<std::size_t>(options.most[hop], weighed.size());
      std::sort(weighed.begin(), weighed.end(), [](const Weighed& a, const Weighed& b) {
        return a.gain != b.gain ? a.gain > b.gain : a.feature < b.feature;
      });
      kept.insert(kept.end(), weighed.begin(), weighed.begin() + static_cast<std::ptrdiff_t>(most));
    }
    std::sort(kept.begin(), kept.end(),
              [](const Weighed& a, const Weighed& b) { return a.feature < b.feature; });
    OwnedProfile profile;
    for (const Weighed& one : kept) {
      profile.features.push_back(one.feature);
      profile.gains.push_back(one.gain);
    }
    return profile;
  }

  const ItemFeatures& features_;
  std::vector<std::uint32_t> positives_, negatives_;
  std::vector<FeatureIndex> seen_;
  std::array<std::vector<Weighed>, ProfileOptions::most_hops> weighed_;
};

}  // namespace

Status check(const ProfileOptions& options) {
  if (options.negatives == 0 || options.negatives > 10'000)
    return fail(Code::usage, "gain-negatives must be a number from 1 to 10000");
  if (!(options.least_gain >= 0.0f && options.least_gain < 1.0f))
    return fail(Code::usage, "min-gain must be a number from 0 up and below 1");
  return Done{};
}

FeatureProfiles::FeatureProfiles(const Histories& histories, std::size_t catalogue,
                                 const ItemFeatures& features, const ProfileOptions& options,
                                 const KeepsBack& keeps_back, Executor& executor, UserIndex first)
    : first_(first) {
  const std::size_t users = histories.users();
  std::vector<OwnedProfile> profiles(users);
  const std::size_t parts = std::max<std::size_t>(std::min(executor.threads() * 4, users / 64), 1);
  executor.run(parts, [&](std::size_t part) {
    FeatureCounter counter(features);
    const std::size_t end = users * (part + 1) / parts;
    for (std::size_t n = users * part / parts; n < end; ++n) {
      const UserIndex row{static_cast<std::uint32_t>(n)}, user{first.value + row.value};
      profiles[n] = counter.profile(histories.of(row), user, catalogue, options, keeps_back);
    }
  });
  for (OwnedProfile& profile : profiles) {
    features_.insert(features_.end(), profile.features.begin(), profile.features.end());
    gains_.insert(gains_.end(), profile.gains.begin(), profile.gains.end());
    ends_.push_back(features_.size());
    longest_ = std::max(longest_, profile.features.size());
    profile = {};
  }
}

OwnedProfile profile_over(std::span<const ItemIndex> history, std::span<const ItemIndex> others,
                          const ItemFeatures& features, const ProfileOptions& options) {
  if (history.empty() || others.empty()) return {};
  return FeatureCounter(features).over(history, others, options, [](FeatureIndex) { return false; });
}

OwnedProfile make_profile(std::span<const ItemIndex> history, UserIndex user, std::size_t catalogue,
                          const ItemFeatures& features, const ProfileOptions& options,
                          const KeepsBack& keeps_back) {
  return FeatureCounter(features).profile(history, user, catalogue, options, keeps_back);
}

}  // namespace sotto::model
