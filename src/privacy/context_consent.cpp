#include "privacy/context_consent.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/nearest_word.h"

namespace sotto::privacy {

namespace {

// What the level means for contexts that nobody named.
double level_share(const PersonalPolicy& policy) {
  if (!policy.shares || policy.pi < usual_part) return 0.0;
  return policy.pi >= 1.0 ? 1.0 : usual_part;
}

}  // namespace

double context_share(const PersonalPolicy& policy, const std::string& dimension) {
  if (policy.contexts.empty()) return level_share(policy);
  auto choice = policy.contexts.find(dimension);
  if (choice == policy.contexts.end()) choice = policy.contexts.find(other_contexts);
  return choice == policy.contexts.end() ? 0.0 : choice->second.share;
}

ContextTerms context_terms(const PersonalPolicy& policy, const Contexts* contexts) {
  const auto keeps_back = [](const auto& rule) { return rule.second.answer != ConsentAnswer::always; };
  ContextTerms terms{.history = static_cast<float>(policy.history)};
  terms.whole = policy.pi >= 1.0 && policy.history >= 1.0 && std::ranges::none_of(policy.items, keeps_back) &&
                std::ranges::none_of(policy.categories, keeps_back);
  if (contexts == nullptr) return terms;
  for (const ContextDimension& dimension : contexts->dimensions)
    terms.shares.push_back(static_cast<float>(context_share(policy, dimension.name)));
  if (std::ranges::all_of(terms.shares, [](float share) { return share >= 1.0f; })) terms.shares.clear();
  return terms;
}

Status know_contexts(const PersonalPolicy& policy, const Contexts& contexts, const std::string& file) {
  for (const auto& [name, choice] : policy.contexts) {
    if (name == other_contexts) continue;
    NearestWord nearest(name);
    bool known = false;
    for (const ContextDimension& dimension : contexts.dimensions) {
      known = known || dimension.name == name;
      nearest.look_at(dimension.name);
    }
    if (!known)
      return unknown_in_rule(
          file, "context", name, {.line = choice.line},
          nearest.word().empty() ? "" : fmt::format("; did you mean '{}'?", nearest.word()));
  }
  return Done{};
}

ContextTermsOf context_terms(const ConsentPolicy& policy) {
  if (policy.people == nullptr)
    return [all = ContextTerms{.whole = policy.pi >= 1.0}](UserIndex) -> const ContextTerms& { return all; };
  return
      [people = policy.people](UserIndex user) -> const ContextTerms& { return people->of(user).contexts; };
}

}  // namespace sotto::privacy
