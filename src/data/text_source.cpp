#include "data/text_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sotto::data {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Bytes of the UTF-8 sequence at the front of `bytes`, 0 when it is malformed.
std::size_t utf8_length(std::string_view bytes) {
  const auto at = [&](std::size_t k) { return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0u; };
  const auto tail = [&](std::size_t k) { return (at(k) & 0xC0u) == 0x80u; };
  const unsigned lead = at(0);
  if (lead < 0x80u) return 1;
  if (lead >= 0xC2u && lead <= 0xDFu) return tail(1) ? 2 : 0;
  if (lead >= 0xE0u && lead <= 0xEFu) {
    const bool overlong = lead == 0xE0u && at(1) < 0xA0u;
    const bool surrogate = lead == 0xEDu && at(1) > 0x9Fu;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0u && lead <= 0xF4u) {
    const bool overlong = lead == 0xF0u && at(1) < 0x90u;
    const bool beyond = lead == 0xF4u && at(1) > 0x8Fu;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::string latin1_to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80u) {
      text.push_back(c);
    } else {
      text.push_back(static_cast<char>(0xC0u | (byte >> 6)));
      text.push_back(static_cast<char>(0x80u | (byte & 0x3Fu)));
    }
  }
  return text;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::uint64_t eight = 0;
    if (bytes.size() - at >= sizeof eight) {
      std::memcpy(&eight, bytes.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const std::size_t length = utf8_length(bytes.substr(at));
    if (length == 0) return false;
    at += length;
  }
  return true;
}

Result<DecodedText> DecodedText::decode(const TextSource& source) {
  std::string_view bytes = source.bytes;
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    return fail(Code::bad_input, source.name + ": this is UTF-16 text; save it as UTF-8");
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  if (const std::size_t zero = bytes.find('\0'); zero != std::string_view::npos) {
    const auto line = static_cast<std::size_t>(std::count(
                          bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(zero), '\n')) +
                      1;
    return error_at(source.name, line,
                    "a zero byte: this is not a text file; give TSV, CSV or MovieLens text");
  }
  DecodedText text;
  if (is_utf8(bytes))
    text.borrowed_ = bytes;
  else
    text.converted_ = latin1_to_utf8(bytes);
  return text;
}

bool LineReader::next(std::string_view& line) {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!std::all_of(line.begin(), line.end(), is_blank)) return true;
  }
  return false;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

FieldSplitter::FieldSplitter(std::string separator)
    : separator_(std::move(separator)), quoting_(separator_ == "," || separator_ == ";") {}

bool FieldSplitter::split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  if (separator_ == " ") {
    for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
      const auto end =
          static_cast<std::size_t>(std::find_if(line.begin(), line.end(), is_blank) - line.begin());
      fields.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    return true;
  }
  if (quoting_ && line.find('"') != std::string_view::npos) return split_quoted(line, fields);
  const char first = separator_[0];
  const bool single = separator_.size() == 1;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != first) continue;
    if (!single && line.substr(at, separator_.size()) != separator_) continue;
    fields.push_back(trimmed(line.substr(begin, at - begin)));
    at += separator_.size() - 1;
    begin = at + 1;
  }
  fields.push_back(trimmed(line.substr(begin)));
  return true;
}

bool FieldSplitter::split_quoted(std::string_view line, std::vector<std::string_view>& fields) {
  unquoted_.clear();
  unquoted_.reserve(line.size());  // never grows below, so views into it stay valid
  while (true) {
    const std::string_view field = trimmed(line);
    if (!field.starts_with('"')) {
      const std::size_t end = std::min(line.find(separator_[0]), line.size());
      fields.push_back(trimmed(line.substr(0, end)));
      if (end == line.size()) return true;
      line.remove_prefix(end + 1);
      continue;
    }
    line.remove_prefix(static_cast<std::size_t>(field.data() - line.data()) + 1);
    const std::size_t begin = unquoted_.size();
    while (true) {
      const std::size_t quote = line.find('"');
      if (quote == std::string_view::npos) return false;
      unquoted_.append(line.substr(0, quote));
      line.remove_prefix(quote + 1);
      if (!line.starts_with('"')) break;
      unquoted_.push_back('"');
      line.remove_prefix(1);
    }
    fields.push_back(std::string_view(unquoted_).substr(begin));
    const std::string_view rest = trimmed(line);
    if (rest.empty()) return true;
    if (rest.front() != separator_[0]) return false;
    line = rest.substr(1);
  }
}

std::string excerpt(std::string_view token) {
  std::string shown;
  std::size_t characters = 0;
  while (!token.empty()) {
    if (characters++ == 40) return "'" + shown + "…'";
    const std::size_t length = utf8_length(token);
    const bool plain = length > 1 || (length == 1 && token[0] >= ' ' && token[0] != '\x7F');
    shown += plain ? token.substr(0, length) : std::string_view("?");
    token.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return "'" + shown + "'";
}

Error error_at(const std::string& name, std::size_t line, const std::string& what) {
  return fail(Code::bad_input, fmt::format("{}, line {}: {}", name, line, what));
}

const char* id_fault(std::string_view id) {
  if (id.empty()) return "is empty";
  if (id.size() > longest_id) return "is longer than 4,096 bytes";
  if (id.find_first_of("\t\r\n") != std::string_view::npos) return "holds a tab or a line end";
  return nullptr;
}

}  // namespace sotto::data
