#include <fmt/core.h>

#include <vector>

#include "data/kg/statement.h"
#include "data/text_source.h"

namespace sotto {

namespace {

// "http://…" or "_:b0".
bool is_node(std::string_view name) {
  if (name.starts_with("_:")) return true;
  const std::size_t colon = name.find("://");
  return colon != std::string_view::npos && colon > 0 && name.find(' ') == std::string_view::npos;
}

// <http://…> without its marks.
std::string_view unmarked(std::string_view name) {
  if (name.size() > 2 && name.front() == '<' && name.back() == '>') return name.substr(1, name.size() - 2);
  return name;
}

// "text"@en without its marks; a text without them as it is.
std::string_view literal_text(std::string_view object) {
  const std::size_t last = object.rfind('"');
  return object.starts_with('"') && last > 0 ? object.substr(1, last - 1) : object;
}

const char* fault_of(std::string_view line, const std::vector<std::string_view>& fields) {
  if (fields.size() != 3) return "a triple has three columns parted by tabs";
  if (!is_utf8(line) || line.find('\0') != std::string_view::npos) return "the line is no UTF-8 text";
  for (const std::string_view field : fields)
    if (field.empty() || field.size() > longest_id) return "a name is empty or longer than 4,096 bytes";
  return nullptr;
}

bool is_header(const std::vector<std::string_view>& fields) {
  return fields.size() == 3 && fields[0] == "subject" && fields[1] == "predicate" && fields[2] == "object";
}

}  // namespace

Status read_triples_tsv(NamedSource source, BrokenLines& broken, const StatementSink& sink) {
  LineStream lines(std::move(source));
  FieldSplitter splitter("\t");
  std::vector<std::string_view> fields;
  std::string_view line;
  while (true) {
    SOTTO_TRY(const bool more, lines.next(line));
    if (!more) return Done{};
    (void)splitter.split(line, fields);
    if (lines.number() == 1 && is_header(fields)) continue;
    if (const char* fault = fault_of(line, fields)) {
      SOTTO_TRY_DONE(broken.add(lines.name(), lines.number(), fault));
      continue;
    }
    const std::string_view object = unmarked(fields[2]);
    const bool literal = !is_node(object);
    sink({unmarked(fields[0]), unmarked(fields[1]), literal ? literal_text(object) : object, literal});
  }
}

}  // namespace sotto
