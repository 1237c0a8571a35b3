#include <vector>

#include "data/kg/statement.h"
#include "data/text_source.h"

namespace sotto::data {

namespace {

Term term_of(std::string_view field, bool may_be_literal) {
  if (field.size() > 2 && field.front() == '<' && field.back() == '>')
    return {TermKind::uri, field.substr(1, field.size() - 2)};
  if (field.starts_with("_:") && field.size() > 2) return {TermKind::blank, field.substr(2)};
  const std::size_t scheme = field.find("://");
  const bool named = scheme != std::string_view::npos && scheme > 0 && field.front() != '"' &&
                     field.find(' ') == std::string_view::npos;
  if (named || !may_be_literal) return {TermKind::uri, field};
  const std::size_t last = field.rfind('"');  // "text"@en: the text
  if (field.starts_with('"') && last > 0) return {TermKind::literal, field.substr(1, last - 1)};
  return {TermKind::literal, field};
}

using Fields = std::vector<std::string_view>;

bool is_header(const Fields& fields) {
  return fields.size() == 3 && fields[0] == "subject" && fields[1] == "predicate" && fields[2] == "object";
}

const char* put_line(StatementWriter& writer, const Fields& fields) {
  if (fields.size() != 3) return "a triple has three columns parted by tabs";
  return writer.put(term_of(fields[0], false), term_of(fields[1], false), term_of(fields[2], true));
}

}  // namespace

Status read_triples_tsv(NamedSource source, std::uint32_t file, BrokenLines& broken,
                        const StatementSink& sink) {
  LineStream lines(std::move(source));
  StatementWriter writer(file, sink);
  FieldSplitter splitter("\t");
  Fields fields;
  std::string_view line;
  while (true) {
    SOTTO_TRY(const bool more, lines.next(line));
    if (!more) return Done{};
    (void)splitter.split(line, fields);
    if (lines.number() == 1 && is_header(fields)) continue;
    if (const char* fault = put_line(writer, fields))
      SOTTO_TRY_DONE(broken.add(lines.name(), lines.number(), fault));
  }
}

}  // namespace sotto::data
