// The TOML parser as this project uses it: without exceptions, and with places that name document and line.
//
// Laws: a message names the document and the line, unless the document has no name; whoever types an unknown
// word learns which one is near, and which ones there are.
#pragma once

#include <set>
#include <string>

// Debian's shared library has only the parser that throws; the headers have the other one too.
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/result.h"

namespace sotto::storage {

[[nodiscard]] Result<toml::table> parse_toml(const std::string& text, const std::string& name);
// "study.toml, line 7".
[[nodiscard]] std::string place_of(const toml::node& node, const std::string& name);
// "study.toml, line 7: unknown key 'task.gaol'; did you mean 'goal'? Known are goal, rounds". `within`:
// "task.".
[[nodiscard]] Error unknown_key(const toml::node& node, const std::string& name, const std::string& key,
                                const std::set<std::string>& known, const std::string& within = "");

}  // namespace sotto::storage
