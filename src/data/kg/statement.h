// Statements of a knowledge graph (subject, predicate, object), read one at a time from N-Triples, Turtle or
// triples in columns: nothing is kept here.
//
// Names: a URI is its text, a blank node "_:" and a name within its file, a literal its text without quotes,
// language and type. Laws: names are UTF-8, hold no tab or line end and at most longest_id bytes
// (data/text_source.h): in literals tabs and line ends become blanks, blanks at both ends go, and what is
// longer is cut; other names that break a law make a broken line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/kg/line_stream.h"

namespace sotto::data {

struct Statement {
  std::string_view subject, predicate, object;
  bool literal = false;  // the object is a text: nothing leads on from it
};

using StatementSink = std::function<void(const Statement&)>;

enum class TermKind : std::uint8_t { uri, blank, literal };
struct Term {
  TermKind kind = TermKind::uri;
  std::string_view text;  // of a blank node without "_:"
};

// Gives the terms of one file their names and passes statements on.
class StatementWriter {
 public:
  // `file` keeps blank nodes of several files apart. The sink must outlive the writer.
  StatementWriter(std::uint32_t file, const StatementSink& sink);
  // What is wrong with the terms, or nullptr.
  [[nodiscard]] const char* put(const Term& subject, const Term& predicate, const Term& object);

 private:
  [[nodiscard]] std::string_view name_of(const Term& term, std::string& room) const;

  std::string blank_prefix_;
  const StatementSink& sink_;
  std::string subject_, object_;
};

// Three columns parted by tabs: names as they are or <in marks>. A header "subject predicate object" is left
// out. An object is a literal unless it looks like a name: in marks, a scheme as in "http://…", or "_:".
[[nodiscard]] Status read_triples_tsv(NamedSource source, std::uint32_t file, BrokenLines& broken,
                                      const StatementSink& sink);
// A triple a line. A broken line does not touch the next one.
[[nodiscard]] Status read_ntriples(NamedSource source, std::uint32_t file, BrokenLines& broken,
                                   const StatementSink& sink);
// After something broken it goes on at the next line, where serd finds a statement again.
[[nodiscard]] Status read_turtle(NamedSource source, std::uint32_t file, BrokenLines& broken,
                                 const StatementSink& sink);

}  // namespace sotto::data
