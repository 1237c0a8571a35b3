#include "privacy/criteria_choice.h"

#include <fmt/core.h>

namespace sotto::privacy {

Result<bool> parse_telling(const std::string& text) {
  if (text == "tell") return true;
  if (text == "keep") return false;
  return fail(Code::usage, fmt::format("unknown choice '{}': choose tell or keep", text));
}

const char* telling_word(bool tells) { return tells ? "tell" : "keep"; }

CriteriaTerms criteria_terms(const CriteriaChoices& choices, bool level_tells) {
  CriteriaTerms terms{.others = level_tells};
  for (const auto& [name, tells] : choices) {
    if (name == other_criteria)
      terms.others = tells;
    else
      terms.named[name] = tells;
  }
  return terms;
}

}  // namespace sotto::privacy
