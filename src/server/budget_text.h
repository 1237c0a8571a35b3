// A privacy budget as text (JSON), and back: what files and stores keep of it.
//
// Laws: reading what was written gives the same budget; a text that was edited into something impossible is
// refused.
#pragma once

#include <string>

#include "privacy/dp/budget.h"

namespace sotto::server {

[[nodiscard]] std::string budget_text(const PrivacyBudget& budget);
// `name` is where it was found, for the error's sentence.
[[nodiscard]] Result<PrivacyBudget> read_budget(const std::string& text, const std::string& name);

}  // namespace sotto::server
