// Which criteria a device tells, for its person and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "privacy/personal_policy.h"

namespace sotto::cli {

[[nodiscard]] std::string criteria_text(const PersonalPolicy& policy);
// {"size": {"tells": true, "own_choice": false, "reveals": "how much you have done …"}, …}
[[nodiscard]] nlohmann::json criteria_json(const PersonalPolicy& policy);

}  // namespace sotto::cli
