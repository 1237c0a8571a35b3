// The TOML parser, and plans inside larger documents: a study holds parts of plans in its tables.
//
// Law: a message names the document and the line, unless the document has no name.
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
#include "lab/request.h"

namespace sotto {

[[nodiscard]] Result<toml::table> parse_toml(const std::string& text, const std::string& name);
// "study.toml, line 7".
[[nodiscard]] std::string place_of(const toml::node& node, const std::string& name);

// from_toml() for a table that was parsed already. A copied table has forgotten its lines: pass the original.
[[nodiscard]] Result<TrainRequest> from_table(const toml::table& table, const std::string& name,
                                              TrainRequest base = {});

// The keys that a plan knows in a section ("data": paths, columns, …).
[[nodiscard]] std::set<std::string> keys_in(const std::string& section);

}  // namespace sotto
