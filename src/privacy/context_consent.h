// A person's protocol (privacy/context_choice.h) in the numbers of a split's contexts, and the same as the
// question that a model asks (ContextTermsOf in data/contexts.h).
//
// Laws: a value that does not enter is as if its record, item or person had none: no bit of what leaves the
// device depends on it. Who has no policy of their own lets all in.
#pragma once

#include <string>

#include "base/result.h"
#include "data/contexts.h"
#include "privacy/consent.h"
#include "privacy/personal_policy.h"

namespace sotto::privacy {

// Of a dimension, by name; the precedence is PersonalPolicy's.
[[nodiscard]] double context_share(const PersonalPolicy& policy, const std::string& dimension);
[[nodiscard]] ContextTerms context_terms(const PersonalPolicy& policy, const Contexts* contexts);
// Fails at the first choice for a dimension that is not there, with file, line and the nearest.
[[nodiscard]] Status know_contexts(const PersonalPolicy& policy, const Contexts& contexts,
                                   const std::string& file);

// Everybody's; always callable. It keeps the policy's book alive.
[[nodiscard]] ContextTermsOf context_terms(const ConsentPolicy& policy);

}  // namespace sotto::privacy
