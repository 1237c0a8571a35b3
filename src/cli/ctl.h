// What others than `sotto ctl` ask a running coordinator.
#pragma once

#include <string>
#include <vector>

#include "base/layers.h"

namespace sotto::cli {

inline constexpr const char* default_admin = "unix:state/admin.sock";

// The names of its tasks; none where no coordinator answers within a second.
[[nodiscard]] std::vector<std::string> task_names(const std::string& admin);

}  // namespace sotto::cli
