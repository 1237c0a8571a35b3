#include "privacy/personal_policy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/nearest_word.h"
#include "privacy/context_consent.h"
#include "privacy/feature_consent.h"

namespace sotto::privacy {

namespace {

constexpr std::array<ConsentLevel, 4> levels{
    {{"closed", "Nothing leaves the device. What it has of the model it uses here.", false, 0.0},
     {"careful", "One in ten of the things you have may teach the model; which ones is drawn once and kept.",
      true, 0.1},
     {"balanced", "Half of the things you have may teach the model; which ones is drawn once and kept.", true,
      0.5},
     {"open", "Everything you have may teach the model, but for what your rules keep back.", true, 1.0}}};

std::string question(const NearestWord& nearest) {
  return nearest.word().empty() ? "" : fmt::format("; did you mean '{}'?", nearest.word());
}

ItemRule in_numbers(const PersonalRule& rule) {
  return rule.answer == ConsentAnswer::always ? ItemRule::always : ItemRule::never;
}

std::size_t named_categories(const Catalogue& catalogue) {
  return std::min(catalogue.size, catalogue.categories.size());
}

void apply_categories(const PersonalPolicy& policy, const Catalogue& catalogue,
                      std::vector<ItemRule>& rules) {
  for (std::size_t item = 0; item < named_categories(catalogue); ++item)
    for_categories(catalogue.categories[item], [&](std::string_view category) {
      const auto rule = policy.categories.find(std::string(category));
      if (rule == policy.categories.end() || rules[item] == ItemRule::never) return;
      rules[item] = in_numbers(rule->second);
    });
}

void apply_items(const PersonalPolicy& policy, const Catalogue& catalogue, std::vector<ItemRule>& rules) {
  for (const auto& [name, rule] : policy.items)
    if (const auto item = catalogue.items.find(name); item && *item < catalogue.size)
      rules[*item] = in_numbers(rule);
}

ConsentTerms in_numbers(const PersonalPolicy& policy, const Catalogue& catalogue) {
  ConsentTerms terms{.pi = policy.pi, .mask = policy.mask, .takes_part = policy.takes_part(), .rules = {}};
  terms.contexts = context_terms(policy, catalogue.contexts);
  terms.criteria = criteria_terms(policy);
  if (catalogue.features != nullptr) terms.kept_back = kept_back_features(policy, *catalogue.features);
  if (policy.items.empty() && policy.categories.empty()) return terms;
  terms.rules.assign(catalogue.size, ItemRule::none);
  apply_categories(policy, catalogue, terms.rules);
  apply_items(policy, catalogue, terms.rules);
  return terms;
}

Status know_categories(const PersonalPolicy& policy, const Catalogue& catalogue, const std::string& file) {
  std::set<std::string, std::less<>> known;
  for (std::size_t item = 0; item < named_categories(catalogue); ++item)
    for_categories(catalogue.categories[item], [&](std::string_view category) {
      if (!known.contains(category)) known.emplace(category);
    });
  for (const auto& [name, rule] : policy.categories) {
    if (known.contains(name)) continue;
    if (known.empty())
      return unknown_in_rule(file, "category", name, rule, "; they name no categories: add --names FILE");
    NearestWord nearest(name);
    for (const std::string& other : known) nearest.look_at(other);
    return unknown_in_rule(file, "category", name, rule, question(nearest));
  }
  return Done{};
}

Status know_items(const PersonalPolicy& policy, const Catalogue& catalogue, const std::string& file) {
  for (const auto& [name, rule] : policy.items) {
    if (catalogue.items.find(name)) continue;
    NearestWord nearest(name);
    for (std::uint32_t other = 0; other < catalogue.size; ++other)
      nearest.look_at(catalogue.items.name(other));
    return unknown_in_rule(file, "item", name, rule, question(nearest));
  }
  return Done{};
}

}  // namespace

Error unknown_in_rule(const std::string& file, const char* what, const std::string& name,
                      const PersonalRule& rule, const std::string& hint) {
  const std::string where = rule.line == 0 ? file : fmt::format("{}, line {}", file, rule.line);
  return fail(Code::usage, fmt::format("{}: the rule is for the {} '{}', which these data do not have{}",
                                       where, what, name, hint));
}

Result<ConsentAnswer> parse_answer(const std::string& text) {
  if (text == "always") return ConsentAnswer::always;
  if (text == "never") return ConsentAnswer::never;
  if (text == "ask") return ConsentAnswer::ask;
  return fail(Code::usage, fmt::format("unknown rule '{}': choose always, never or ask", text));
}

const char* to_string(ConsentAnswer answer) {
  if (answer == ConsentAnswer::always) return "always";
  return answer == ConsentAnswer::never ? "never" : "ask";
}

Status check(const PersonalPolicy& policy) {
  SOTTO_TRY_DONE(check_part(policy.history));
  for (const auto& [name, choice] : policy.contexts) SOTTO_TRY_DONE(check_part(choice.share));
  return check(ConsentPolicy{.pi = policy.pi});
}

CriteriaTerms criteria_terms(const PersonalPolicy& policy) {
  return criteria_terms(policy.criteria, policy.shares && policy.pi >= 1.0);
}

std::span<const ConsentLevel> consent_levels() { return levels; }

Status set_level(PersonalPolicy& policy, const std::string& name) {
  for (const ConsentLevel& level : levels) {
    if (name != level.name) continue;
    policy.shares = level.shares;
    policy.pi = level.pi;
    policy.mask = MaskKind::sticky;
    return Done{};
  }
  return fail(Code::usage, fmt::format("unknown level '{}': choose closed, careful, balanced or open", name));
}

const char* level_of(const PersonalPolicy& policy) {
  for (const ConsentLevel& level : levels)
    if (policy.shares == level.shares && policy.pi == level.pi && policy.mask == MaskKind::sticky)
      return level.name;
  return policy.shares ? "custom" : "closed";
}

Result<ConsentTerms> terms_for(const PersonalPolicy& policy, const Catalogue& catalogue,
                               const std::string& file) {
  SOTTO_TRY_DONE(check(policy));
  SOTTO_TRY_DONE(know_categories(policy, catalogue, file));
  SOTTO_TRY_DONE(know_items(policy, catalogue, file));
  if (catalogue.features != nullptr) SOTTO_TRY_DONE(know_features(policy, *catalogue.features, file));
  if (catalogue.contexts != nullptr) SOTTO_TRY_DONE(know_contexts(policy, *catalogue.contexts, file));
  return in_numbers(policy, catalogue);
}

Result<ConsentTerms> terms_where_known(const PersonalPolicy& policy, const Catalogue& catalogue) {
  SOTTO_TRY_DONE(check(policy));
  if (catalogue.categories.empty())
    for (const auto& [name, rule] : policy.categories)
      if (rule.answer != ConsentAnswer::always)
        return fail(Code::incompatible,
                    "a rule keeps back a category, and this catalogue does not say what is in which");
  return in_numbers(policy, catalogue);
}

}  // namespace sotto::privacy
