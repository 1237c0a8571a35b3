#include "data/kg/statement.h"

#include <algorithm>

#include "data/text_source.h"

namespace sotto::data {

namespace {

// The most that a name may hold, without half a character at its end.
std::string_view cut_to_id(std::string_view text) {
  if (text.size() <= longest_id) return text;
  std::size_t end = longest_id;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return text.substr(0, end);
}

bool is_sound(std::string_view name) {
  return id_fault(name) == nullptr && is_utf8(name) && name.find('\0') == std::string_view::npos;
}

}  // namespace

StatementWriter::StatementWriter(std::uint32_t file, const StatementSink& sink)
    : blank_prefix_("_:f" + std::to_string(file) + "-"), sink_(sink) {}

std::string_view StatementWriter::name_of(const Term& term, std::string& room) const {
  if (term.kind == TermKind::uri) return term.text;
  if (term.kind == TermKind::blank) return room.assign(blank_prefix_).append(term.text);
  const std::string_view text = cut_to_id(term.text);
  if (text.find_first_of("\t\r\n") == std::string_view::npos) return trimmed(text);
  room.assign(text);
  std::replace_if(
      room.begin(), room.end(), [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
  return trimmed(room);
}

const char* StatementWriter::put(const Term& subject, const Term& predicate, const Term& object) {
  if (subject.kind == TermKind::literal || predicate.kind != TermKind::uri)
    return "a subject is a URI or a blank node, a predicate a URI";
  const bool literal = object.kind == TermKind::literal;
  const Statement statement{name_of(subject, subject_), predicate.text, name_of(object, object_), literal};
  if (literal && statement.object.empty()) return nullptr;  // says nothing
  if (!is_sound(statement.subject) || !is_sound(statement.predicate) || !is_sound(statement.object))
    return "a name is empty, longer than 4,096 bytes, holds a line end or is no UTF-8 text";
  sink_(statement);
  return nullptr;
}

}  // namespace sotto::data
