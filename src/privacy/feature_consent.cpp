#include "privacy/feature_consent.h"

#include <algorithm>

#include "data/kg/feature_names.h"

namespace sotto::privacy {

namespace {

// Lays one level of rules over what weaker ones said. Within a level `never` goes before `always`.
template <class Find>
void lay_over(const PersonalRules& own, const Find& find, std::vector<ItemRule>& rules) {
  std::vector<FeatureIndex> forbidden;
  for (const auto& [name, rule] : own)
    for (const FeatureIndex feature : find(name)) {
      if (rule.answer != ConsentAnswer::always) forbidden.push_back(feature);
      rules[feature.value] = ItemRule::always;
    }
  for (const FeatureIndex feature : forbidden) rules[feature.value] = ItemRule::never;
}

}  // namespace

std::vector<FeatureIndex> kept_back_features(const PersonalPolicy& policy, const ItemFeatures& features) {
  if (policy.features.empty() && policy.predicates.empty()) return {};
  const FeatureNames names(features);
  std::vector<ItemRule> rules(features.features(), ItemRule::none);
  lay_over(
      policy.predicates, [&](const std::string& name) { return names.with_predicate(name); }, rules);
  lay_over(
      policy.predicates, [&](const std::string& name) { return names.with_chain(name); }, rules);
  lay_over(
      policy.features, [&](const std::string& name) { return names.called(name); }, rules);
  std::vector<FeatureIndex> kept_back;
  for (std::uint32_t feature = 0; feature < rules.size(); ++feature)
    if (rules[feature] == ItemRule::never) kept_back.push_back({feature});
  return kept_back;
}

Status know_features(const PersonalPolicy& policy, const ItemFeatures& features, const std::string& file) {
  if (policy.features.empty() && policy.predicates.empty()) return Done{};
  const FeatureNames names(features);
  for (const auto& [name, rule] : policy.predicates)
    if (names.with_predicate(name).empty() && names.with_chain(name).empty())
      return unknown_in_rule(file, "predicate", name, rule, in_question(names.like_predicate(name)));
  for (const auto& [name, rule] : policy.features)
    if (names.called(name).empty())
      return unknown_in_rule(file, "feature", name, rule, in_question(names.like_feature(name)));
  return Done{};
}

KeepsBack keeps_back(const ConsentPolicy& policy) {
  if (policy.people == nullptr || std::ranges::all_of(policy.people->kinds(), [](const ConsentTerms& terms) {
        return terms.kept_back.empty();
      }))
    return {};
  return [people = policy.people](UserIndex user, FeatureIndex feature) {
    const std::vector<FeatureIndex>& kept_back = people->of(user).kept_back;
    return std::binary_search(kept_back.begin(), kept_back.end(), feature);
  };
}

}  // namespace sotto::privacy
