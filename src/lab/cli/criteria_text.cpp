#include "lab/cli/criteria_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fed/criteria/criterion.h"

namespace sotto {

std::string criteria_text(const PersonalPolicy& policy) {
  const CriteriaTerms terms = criteria_terms(policy);
  std::string text = "Numbers about you by which this device may count more or less (0 to 1 each):\n";
  for (const Criterion criterion : all_criteria())
    text += fmt::format("  {:<16}{}  {}\n", criterion->name, terms.tells(criterion->name) ? "told" : "kept",
                        criterion->reveals);
  return text +
         "  Only runs that ask for a number get it. What you keep costs you nothing: you count as the mean "
         "of "
         "those who tell.\n";
}

nlohmann::json criteria_json(const PersonalPolicy& policy) {
  const CriteriaTerms terms = criteria_terms(policy);
  nlohmann::json all = nlohmann::json::object();
  for (const Criterion criterion : all_criteria())
    all[criterion->name] = {{"tells", terms.tells(criterion->name)}, {"reveals", criterion->reveals}};
  return all;
}

}  // namespace sotto
