// What a person can change in their policy, word by word; the program and the C library say it alike.
//
// Law: a change that fails leaves the policy as it was.
#pragma once

#include <string>

#include "base/result.h"
#include "privacy/personal_policy.h"

namespace sotto::device {

// Who chooses a level again after withdrawing joins anew.
[[nodiscard]] Status choose_level(PersonalPolicy& policy, const std::string& level);
// Nothing leaves any more, and what was consented to apart from a level ends with it: whoever joins anew is
// asked anew.
void withdraw(PersonalPolicy& policy);
// A share says that something is shared.
[[nodiscard]] Status choose_share(PersonalPolicy& policy, double pi);
[[nodiscard]] Status choose_mask(PersonalPolicy& policy, const std::string& mask);
// always, never, ask, or none to remove the rule.
[[nodiscard]] Status choose_rule(PersonalRules& rules, const std::string& name, const std::string& answer);
// Of a dimension of context ("*": of all others): full, partial, partial:SHARE, off, or unset to remove the
// choice. (on, the older word, is full.)
[[nodiscard]] Status choose_context(PersonalPolicy& policy, const std::string& dimension,
                                    const std::string& choice);
// full, partial, partial:SHARE or none.
[[nodiscard]] Status choose_history(PersonalPolicy& policy, const std::string& choice);
// Of a criterion by either of its names ("*": of all others): tell, keep, or unset to remove the choice.
[[nodiscard]] Status choose_criterion(PersonalPolicy& policy, const std::string& criterion,
                                      const std::string& choice);
// secure: takes part in secure sums alone; any: in plain ones too.
[[nodiscard]] Status choose_sums(PersonalPolicy& policy, const std::string& sums);
// How many honest devices this one is at least summed with; 0: no matter.
[[nodiscard]] Status choose_crowd(PersonalPolicy& policy, std::uint64_t devices);
// yes: figures about how good the lists are may leave; no: they stay.
[[nodiscard]] Status choose_evaluation(PersonalPolicy& policy, const std::string& choice);
[[nodiscard]] Status end_pause(PersonalPolicy& policy);

}  // namespace sotto::device
