// A person's consent policy as a file they can read and write:
//
//   level = "balanced"          # or shares, pi and mask one by one
//   paused = false
//   [items]                     # by the ids of the data
//   "50" = "never"              # always, never or ask
//   [categories]
//   "Horror" = "ask"
//   [features]                  # of items, as recommendations are explained (or both names in full)
//   "dct:subject American science fiction films" = "never"
//   [predicates]                # all features through one
//   "dbo:director" = "never"
//   [contexts]
//   place = false
//
// Laws: what is written reads back the same; an unknown key or a wrong word names file and line; a file with
// none of level, shares and pi is closed, whatever its rules say.
#pragma once

#include <string>

#include "base/result.h"
#include "privacy/personal_policy.h"

namespace sotto {

[[nodiscard]] Result<PersonalPolicy> read_policy(const std::string& text, const std::string& name);
[[nodiscard]] std::string to_toml(const PersonalPolicy& policy);

}  // namespace sotto
