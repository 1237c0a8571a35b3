// Which criteria of a device its person lets out (fed/criteria/criterion.h): a number each, by which the
// device counts more or less in a sum. Here criteria are names; which there are is fed's matter.
//
// Precedence, the first that speaks decides: the choice for the criterion; the choice for all others ("*");
// the level, which tells them where all of a history may leave (π = 1) and else keeps them.
// Law: what telling_word() writes, parse_telling() reads.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sotto::privacy {

// By the criterion's name: whether it is told.
using CriteriaChoices = std::map<std::string, bool>;
// The name that stands for every criterion without a choice of its own.
inline constexpr const char* other_criteria = "*";

// "tell" or "keep".
[[nodiscard]] Result<bool> parse_telling(const std::string& text);
[[nodiscard]] const char* telling_word(bool tells);

// A person's choices, settled.
struct CriteriaTerms {
  bool others = true;
  std::map<std::string, bool, std::less<>> named = {};

  [[nodiscard]] bool tells(std::string_view criterion) const {
    const auto own = named.find(criterion);
    return own == named.end() ? others : own->second;
  }
};
// `level_tells`: what the level means for criteria that nobody named.
[[nodiscard]] CriteriaTerms criteria_terms(const CriteriaChoices& choices, bool level_tells);

}  // namespace sotto::privacy
