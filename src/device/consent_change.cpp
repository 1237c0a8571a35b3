#include "device/consent_change.h"

#include <fmt/core.h>

#include "fed/criteria/criterion.h"
#include "privacy/secure/sum_terms.h"

namespace sotto::device {

Status choose_level(PersonalPolicy& policy, const std::string& level) {
  SOTTO_TRY_DONE(set_level(policy, level));
  if (policy.withdrawn) withdraw(policy);  // one that an earlier version kept
  policy.withdrawn = false;
  return Done{};
}

void withdraw(PersonalPolicy& policy) {
  policy.withdrawn = true;
  policy.evaluation = false;
}

Status choose_share(PersonalPolicy& policy, double pi) {
  PersonalPolicy changed = policy;
  changed.pi = pi;
  changed.shares = true;
  SOTTO_TRY_DONE(check(changed));
  policy = std::move(changed);
  return Done{};
}

Status choose_mask(PersonalPolicy& policy, const std::string& mask) {
  SOTTO_TRY(policy.mask, parse_mask(mask));
  return Done{};
}

Status choose_rule(PersonalRules& rules, const std::string& name, const std::string& answer) {
  if (name.empty()) return fail(Code::usage, "a rule is for something: give its name");
  if (answer == "none") {
    rules.erase(name);
    return Done{};
  }
  const auto chosen = parse_answer(answer);
  if (!chosen.ok())
    return fail(Code::usage,
                fmt::format("unknown rule '{}': choose always, never, ask, or none to remove it", answer));
  rules[name] = {*chosen};
  return Done{};
}

Status choose_context(PersonalPolicy& policy, const std::string& dimension, const std::string& choice) {
  if (dimension.empty())
    return fail(Code::usage, "a choice is for a context: give its name, or * for all others");
  if (choice == "unset") {
    policy.contexts.erase(dimension);
    return Done{};
  }
  SOTTO_TRY(const double share, parse_choice(choice == "on" ? "full" : choice, "off"));
  policy.contexts[dimension] = {share};
  return Done{};
}

Status choose_history(PersonalPolicy& policy, const std::string& choice) {
  SOTTO_TRY(policy.history, parse_choice(choice, "none"));
  return Done{};
}

Status choose_criterion(PersonalPolicy& policy, const std::string& criterion, const std::string& choice) {
  std::string name = criterion;
  if (name != other_criteria) {
    SOTTO_TRY(const Criterion known, parse_criterion(criterion));
    name = known->name;
  }
  if (choice == "unset") {
    policy.criteria.erase(name);
    return Done{};
  }
  const auto tells = parse_telling(choice);
  if (!tells.ok())
    return fail(Code::usage,
                fmt::format("unknown choice '{}': choose tell, keep, or unset to remove it", choice));
  policy.criteria[name] = *tells;
  return Done{};
}

Status choose_sums(PersonalPolicy& policy, const std::string& sums) {
  if (sums != "secure" && sums != "any")
    return fail(Code::usage, fmt::format("unknown sums '{}': choose secure or any", sums));
  policy.secure_only = sums == "secure";
  return Done{};
}

Status choose_crowd(PersonalPolicy& policy, std::uint64_t devices) {
  if (devices > most_sum_devices)
    return fail(Code::usage, fmt::format("no sum has more than {} devices", most_sum_devices));
  policy.least_crowd = static_cast<std::uint32_t>(devices);
  return Done{};
}

Status choose_evaluation(PersonalPolicy& policy, const std::string& choice) {
  if (choice != "yes" && choice != "no")
    return fail(Code::usage, fmt::format("unknown choice '{}': choose yes or no", choice));
  policy.evaluation = choice == "yes";
  return Done{};
}

Status end_pause(PersonalPolicy& policy) {
  if (policy.withdrawn) return fail(Code::usage, "you have withdrawn: to join anew, choose a level");
  policy.paused = false;
  return Done{};
}

}  // namespace sotto::device
