// Whose plan a document is: `sotto train` and `sotto fedavg` both call theirs plan.toml, so that one taken
// for the other is told apart by its shape (sections, or flat keys) instead of by its first unknown key.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace sotto {

enum class PlanOwner { unknown, train, fedavg };

// What is no TOML is nobody's.
[[nodiscard]] PlanOwner plan_owner(const std::string& text);

// Fails where the document `name` is the plan of another command, and says whose.
[[nodiscard]] Status check_owner(const std::string& text, const std::string& name, PlanOwner wanted);
// Fails where the folder holds a run of another command, and says how to look at it. Fine where it has no
// plan.
[[nodiscard]] Status check_run_owner(const std::filesystem::path& folder, PlanOwner wanted);

}  // namespace sotto
