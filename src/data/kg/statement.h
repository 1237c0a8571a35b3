// Statements of a knowledge graph (subject, predicate, object), read one at a time from triples in
// text: nothing is kept here.
//
// Names: a URI is its text, a blank node "_:…" and belongs to its file alone, a literal is its text without
// quotes, language and type. Law: names hold no tab or line end (in literals they become blanks) and no more
// than longest_id bytes (data/text_source.h): what is longer counts as broken.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "data/kg/line_stream.h"

namespace sotto {

struct Statement {
  std::string_view subject, predicate, object;
  bool literal = false;  // the object is a text: nothing leads on from it
};

using StatementSink = std::function<void(const Statement&)>;

// Three columns parted by tabs: names as they are, or in N-Triples' marks. A header "subject predicate
// object" is left out. An object is a literal unless it looks like a name: a scheme as in "http://…", or
// "_:".
[[nodiscard]] Status read_triples_tsv(NamedSource source, BrokenLines& broken, const StatementSink& sink);

}  // namespace sotto
