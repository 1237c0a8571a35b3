// A person's consent policy as a file they can read and write:
//
//   level = "balanced"     # or shares, pi and mask one by one
//   paused = false
//   history = "partial"    # what enters the model here: full, none,
//                          # partial (its newest half) or a number
//   sums = "secure"        # secure sums alone; any: plain ones too
//   least_crowd = 50       # honest devices that this one is at least
//                          # summed with, itself included
//   evaluation = "yes"     # figures about how good the lists are may
//                          # leave; no, the default: they stay
//   [items]                # by the ids of the data
//   "50" = "never"         # always, never or ask
//   [categories]
//   "Horror" = "ask"
//   [features]             # of items, as recommendations are explained
//                          # (or both names in full)
//   "dct:subject American science fiction films" = "never"
//   [predicates]           # all features through one
//   "dbo:director" = "never"
//   [contexts]             # of each kind: full, off, partial (half)
//                          # or a number
//   interval = 0.3
//   "*" = "off"            # all others
//   [criteria]             # numbers by which the device counts in a
//                          # sum: tell or keep
//   size = "keep"          # "*" for all others; without a choice the
//                          # level says it
//
// (true and false in older files are full and off.)
// Laws: what is written reads back the same; an unknown key or a wrong word names file and line; a file with
// none of level, shares and pi is closed, whatever its rules say.
#pragma once

#include <string>

#include "base/result.h"
#include "privacy/personal_policy.h"

namespace sotto::device {

[[nodiscard]] Result<PersonalPolicy> read_policy(const std::string& text, const std::string& name);
// The same of a text that nobody sees, such as the one in a vault: no rule of it names a line.
[[nodiscard]] Result<PersonalPolicy> read_kept_policy(const std::string& text, const std::string& where);
[[nodiscard]] std::string to_toml(const PersonalPolicy& policy);

}  // namespace sotto::device
