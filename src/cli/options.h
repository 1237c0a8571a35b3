// A way to let flags change what a plan file said: each flag becomes an edit, and the edits are applied, in
// the order of the help, to whatever came before.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"

namespace sotto {

template <class Target>
using Edits = std::vector<std::function<Status(Target&)>>;

template <class Target>
[[nodiscard]] Status apply_edits(const Edits<Target>& edits, Target& target) {
  for (const auto& edit : edits) SOTTO_TRY_DONE(edit(target));
  return Done{};
}

}  // namespace sotto
