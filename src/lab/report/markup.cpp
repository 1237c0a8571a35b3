#include "lab/report/markup.h"

#include <fmt/format.h>

#include <cmath>

#include "base/assert.h"
#include "engine/terminal/console.h"

namespace sotto::lab {

namespace {

// Length of the UTF-8 sequence at the start of `text`; 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at)
    if ((byte(at) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool too_long = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool beyond = first == 0xF4 && second >= 0x90;
  return too_long || surrogate || beyond ? 0 : length;
}

// U+0080…U+009F and the two non-characters that XML forbids.
bool is_forbidden(std::string_view sequence) {
  return (sequence.size() == 2 && sequence[0] == '\xC2' && static_cast<unsigned char>(sequence[1]) < 0xA0) ||
         sequence == "\xEF\xBF\xBE" || sequence == "\xEF\xBF\xBF";
}

std::string_view escape_of(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char letter = text.front();
    const bool control = length == 1 && (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F);
    if (length == 0 || (control && letter != '\n' && letter != '\t') ||
        is_forbidden(text.substr(0, length))) {
      out += "\xEF\xBF\xBD";
    } else if (const std::string_view escape = escape_of(letter); !escape.empty()) {
      out += escape;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string coordinate(double value) {
  SOTTO_ASSERT(std::isfinite(value), "a place in a drawing is a finite number");
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "n/a";
  const double size = std::abs(value);
  if (size >= 1000.0 && size < 1e15) {
    const std::string digits = human_count(static_cast<std::uint64_t>(std::llround(size)));
    return value < 0.0 ? "-" + digits : digits;
  }
  return fmt::format("{:.4g}", value == 0.0 ? 0.0 : value);
}

std::string slug(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '+') out += out.empty() || out.back() == '-' ? "plus" : "-plus";  // sFPL and sFPL+ are two
    const bool large = letter >= 'A' && letter <= 'Z';
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (large || plain) {
      out += large ? static_cast<char>(letter - 'A' + 'a') : letter;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  if (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "x" : out;
}

double text_width(std::string_view text, double size) {
  return 0.58 * size * static_cast<double>(display_width(text));
}

}  // namespace sotto::lab
