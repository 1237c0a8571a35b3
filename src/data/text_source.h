// Text that somebody else read from disk, and the walk over its lines and fields.
//
// Laws: no file is opened here; every view lives as long as the bytes it was cut from (a field with
// doubled quotes: until the next split). Memory is linear in the input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sotto::data {

// One file's bytes, already decompressed. `name` is what error messages call it.
struct TextSource {
  std::string name;
  std::string_view bytes;
};

// A source as UTF-8 without byte order mark. Bytes that are not valid UTF-8 are taken for Latin-1.
class DecodedText {
 public:
  // Fails on what is no text: zero bytes, or UTF-16.
  [[nodiscard]] static Result<DecodedText> decode(const TextSource& source);
  [[nodiscard]] std::string_view view() const { return converted_.empty() ? borrowed_ : converted_; }

 private:
  std::string_view borrowed_;
  std::string converted_;
};

// True when `bytes` are well-formed UTF-8 (no overlong forms, no surrogates).
[[nodiscard]] bool is_utf8(std::string_view bytes);

// The lines that are not blank, without their ends (LF or CRLF).
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool next(std::string_view& line);
  // Of the line last read, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// Cuts a line into fields. Blanks around a field are dropped; with " " as separator a run of blanks
// is one separator. Commas and semicolons allow "quoted, fields" with "" for a quote.
class FieldSplitter {
 public:
  explicit FieldSplitter(std::string separator);
  // False when a quoted field does not end on its line.
  [[nodiscard]] bool split(std::string_view line, std::vector<std::string_view>& fields);

 private:
  [[nodiscard]] bool split_quoted(std::string_view line, std::vector<std::string_view>& fields);

  std::string separator_;
  bool quoting_ = false;
  std::string unquoted_;
};

[[nodiscard]] std::string_view trimmed(std::string_view text);

// A piece of the input for an error message: at most 40 characters, printable, in quotes.
[[nodiscard]] std::string excerpt(std::string_view token);

// "name, line 17: what".
[[nodiscard]] Error error_at(const std::string& name, std::size_t line, const std::string& what);

inline constexpr std::size_t longest_id = 4096;

// What is wrong with an id, or nullptr: ids are not empty, not endless, and hold no tab or line end
// (they come back out as columns of text).
[[nodiscard]] const char* id_fault(std::string_view id);

}  // namespace sotto::data
