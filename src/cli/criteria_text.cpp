#include "cli/criteria_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fed/criteria/criterion.h"

namespace sotto::cli {

namespace {

// Named, or meant by the choice for all others.
bool is_own_choice(const PersonalPolicy& policy, const char* criterion) {
  return policy.criteria.contains(criterion) || policy.criteria.contains(other_criteria);
}

std::string telling_text(const PersonalPolicy& policy, bool tells, const char* criterion) {
  const char* what = !tells ? "kept" : policy.takes_part() ? "reported" : "would be reported";
  return fmt::format("{} ({})", what,
                     is_own_choice(policy, criterion) ? "your choice" : "as your level says");
}

}  // namespace

std::string criteria_text(const PersonalPolicy& policy) {
  const CriteriaTerms terms = criteria_terms(policy);
  std::string text = "Numbers about you (0 to 1 each) by which a run may weight this device:\n";
  for (const Criterion criterion : all_criteria())
    text +=
        fmt::format("  {:<17}{:<40}{}\n", criterion->name,
                    telling_text(policy, terms.tells(criterion->name), criterion->name), criterion->reveals);
  return text +
         "  Only runs that ask for a number get it. Keeping one costs you nothing: you count as the mean of "
         "those who report it.\n";
}

nlohmann::json criteria_json(const PersonalPolicy& policy) {
  const CriteriaTerms terms = criteria_terms(policy);
  nlohmann::json all = nlohmann::json::object();
  for (const Criterion criterion : all_criteria())
    all[criterion->name] = {{"tells", terms.tells(criterion->name)},
                            {"own_choice", is_own_choice(policy, criterion->name)},
                            {"reveals", criterion->reveals}};
  return all;
}

}  // namespace sotto::cli
