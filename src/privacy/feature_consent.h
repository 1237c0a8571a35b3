// What a person keeps back of the features of items: their rules in the numbers of a split's features, and
// the same as the question that a device asks when it makes a profile (model/kgflex/profile.h).
//
// Law: a feature that is kept back is as if no item had it: whether an item has it or not changes no bit of
// what leaves the device.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "data/item_features.h"
#include "model/kgflex/profile.h"
#include "privacy/consent.h"
#include "privacy/personal_policy.h"

namespace sotto::privacy {

// Ascending; the precedence is PersonalPolicy's. A rule for what the features lack is idle.
[[nodiscard]] std::vector<FeatureIndex> kept_back_features(const PersonalPolicy& policy,
                                                           const ItemFeatures& features);
// Fails at the first rule for a feature or a predicate that is not there, with file, line and the nearest.
[[nodiscard]] Status know_features(const PersonalPolicy& policy, const ItemFeatures& features,
                                   const std::string& file);

// Who keeps what back; empty where nobody does. It keeps the policy's book alive.
[[nodiscard]] KeepsBack keeps_back(const ConsentPolicy& policy);

}  // namespace sotto::privacy
