// FeatureProfiles: for each person the features they care about, with how much (k_uf). Made on the device
// from its own history and the features of all items, which everybody has; never sent.
//
// A person's features are those of the consumed items. Each is weighed by its gain over the consumed items
// and `negatives` times as many others, drawn distinct from the catalogue; of each hop the best are kept.
// Laws: a profile is a function of (seed, user, history, features, options, kept back); rows ascend; a
// feature that the person keeps back is in no profile; gains are above least_gain; of equal gains the smaller
// number stays.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "data/histories.h"
#include "data/item_features.h"
#include "model/kgflex/gain.h"

namespace sotto::model {

struct ProfileOptions {
  static constexpr std::uint32_t all = 0xFFFF'FFFF;
  static constexpr std::size_t most_hops = 2;

  GainKind gain = GainKind::information;
  std::array<std::uint32_t, most_hops> most{100, 100};  // features kept of each hop; `all`: every one
  std::uint32_t negatives = 1;                          // examples that were not consumed, a consumed one
  float least_gain = 0.0f;
  std::uint64_t seed = 1;
};
[[nodiscard]] Status check(const ProfileOptions& options);

struct FeatureProfile {
  std::span<const FeatureIndex> features;
  std::span<const float> gains;  // one a feature
};

// Whether a person keeps a feature to themselves: neither in what leaves nor in their own scores.
using KeepsBack = std::function<bool(UserIndex, FeatureIndex)>;

class FeatureProfiles {
 public:
  FeatureProfiles() = default;
  // One for each user of the histories; `keeps_back` may be empty. Users count from `first`: a device that
  // knows itself alone has one history and its own index.
  FeatureProfiles(const Histories& histories, std::size_t catalogue, const ItemFeatures& features,
                  const ProfileOptions& options, const KeepsBack& keeps_back, Executor& executor,
                  UserIndex first = UserIndex{0});

  [[nodiscard]] std::size_t users() const { return ends_.size() - 1; }
  [[nodiscard]] FeatureProfile of(UserIndex user) const {
    const std::size_t row = user.value - first_.value;
    const std::size_t begin = ends_[row], count = ends_[row + 1] - begin;
    return {std::span(features_).subspan(begin, count), std::span(gains_).subspan(begin, count)};
  }
  [[nodiscard]] std::size_t longest() const { return longest_; }

 private:
  std::vector<std::uint64_t> ends_{0};
  std::vector<FeatureIndex> features_;
  std::vector<float> gains_;
  std::size_t longest_ = 0;
  UserIndex first_;
};

// One profile, for somebody who was not there at training.
struct OwnedProfile {
  std::vector<FeatureIndex> features;
  std::vector<float> gains;
  [[nodiscard]] FeatureProfile view() const { return {features, gains}; }
};
// The same over given examples of both kinds; nothing is kept back.
[[nodiscard]] OwnedProfile profile_over(std::span<const ItemIndex> history, std::span<const ItemIndex> others,
                                        const ItemFeatures& features, const ProfileOptions& options);
[[nodiscard]] OwnedProfile make_profile(std::span<const ItemIndex> history, UserIndex user,
                                        std::size_t catalogue, const ItemFeatures& features,
                                        const ProfileOptions& options, const KeepsBack& keeps_back);

}  // namespace sotto::model
