// The TOML parser as this project uses it: without exceptions, and with places that name document and line.
//
// Law: a message names the document and the line, unless the document has no name.
#pragma once

#include <string>

// Debian's shared library has only the parser that throws; the headers have the other one too.
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/result.h"

namespace sotto {

[[nodiscard]] Result<toml::table> parse_toml(const std::string& text, const std::string& name);
// "study.toml, line 7".
[[nodiscard]] std::string place_of(const toml::node& node, const std::string& name);

}  // namespace sotto
