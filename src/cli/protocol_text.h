// A person's protocol for the model on their device (UDCP), for the person and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "privacy/personal_policy.h"

namespace sotto::cli {

[[nodiscard]] std::string protocol_text(const PersonalPolicy& policy);
// {"history": {"choice": "partial", "share": 0.3}, "contexts": {"daypart": …}, "others": …}
[[nodiscard]] nlohmann::json protocol_json(const PersonalPolicy& policy);
// By name whether anything of a context enters.
[[nodiscard]] nlohmann::json contexts_in_use(const PersonalPolicy& policy);

}  // namespace sotto::cli
