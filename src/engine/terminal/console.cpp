#include "engine/terminal/console.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace sotto::engine {

namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr std::size_t narrowest = 40, usual_width = 80, widest_prose = 100;

const char* code_of(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::strong:
      return "\033[1m";
    case Tone::dim:
      return "\033[2m";
    case Tone::accent:
      return "\033[36m";
    case Tone::good:
      return "\033[32m";
    case Tone::warn:
      return "\033[33m";
  }
  return "";
}

std::string painted(Tone tone, std::string_view text) {
  if (tone == Tone::plain || text.empty()) return std::string(text);
  const std::string_view end = text.back() == '\n' ? "\n" : "";  // a colour ends with its line
  return fmt::format("{}{}\033[0m{}", code_of(tone), text.substr(0, text.size() - end.size()), end);
}

// Read before any thread starts.
std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

// The code point at `at`, which moves past it; a broken byte stands for itself.
char32_t next_point(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  char32_t point = more == 3 ? lead & 0x07u : more == 2 ? lead & 0x0Fu : more == 1 ? lead & 0x1Fu : lead;
  for (std::size_t n = 0; n < more && at < text.size(); ++n)
    point = (point << 6) | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
  return point;
}

std::size_t width_of(char32_t point) {
  struct Range {
    char32_t first, last;
  };
  constexpr std::array<Range, 5> nothing{
      {{0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};
  constexpr std::array<Range, 9> wide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0x33FF},
                                       {0x3400, 0x4DBF},
                                       {0x4E00, 0x9FFF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFF00, 0xFF60},
                                       {0x1F300, 0x1FAFF}}};
  const auto holds = [point](const Range& range) { return point >= range.first && point <= range.last; };
  if (std::any_of(nothing.begin(), nothing.end(), holds)) return 0;
  return std::any_of(wide.begin(), wide.end(), holds) ? 2 : 1;
}

// Columns of what stands at `at`, which moves past it: a letter, or a colour.
std::size_t next_width(std::string_view text, std::size_t& at) {
  if (text[at] != '\033') return width_of(next_point(text, at));
  at = std::min(text.find('m', at), text.size() - 1) + 1;
  return 0;
}

// Bytes of the first line of a text that is wrapped.
std::size_t first_line(std::string_view text, std::size_t columns, LongWords long_words) {
  std::size_t width = 0, blank = 0, joint = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    if (text[here] == '\n') return here;
    if (text[here] == ' ') blank = here;
    width += next_width(text, at);
    if (width > columns && blank > 0) return blank;
    if (width > columns && long_words == LongWords::cut) return joint > 0 ? joint : here > 0 ? here : at;
    if (std::string_view(",/|;").find(text[here]) != std::string_view::npos) joint = at;
  }
  return text.size();
}

// What COLUMNS asks for: of what goes through a pager.
std::size_t wished_columns() {
  return static_cast<std::size_t>(std::strtoul(environment("COLUMNS").c_str(), nullptr, 10));
}

std::size_t columns_of(int stream, bool is_terminal) {
  winsize size{};
  if (!is_terminal) return no_limit;
  if (::ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_width;
  return std::max<std::size_t>(size.ws_col, narrowest);
}

// Three digits that matter.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  return value < 99.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string scaled(double value, const std::array<const char*, 5>& units) {
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}{}", value, units[0]);
  return three_digits(value) + units[unit];
}

}  // namespace

Console Console::detect() {
  Console console;
  console.output_is_terminal_ = ::isatty(STDOUT_FILENO) == 1;
  console.error_is_terminal_ = ::isatty(STDERR_FILENO) == 1;
  console.colours_ = environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return console;
}

void Console::print(std::string_view text) const { write(fitted(text, width())); }

void Console::write(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), stdout); }

void Console::note(std::string_view line) const {
  std::fflush(stdout);  // so that both streams keep their order on one terminal
  const std::string text = fitted(line, note_width()) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string Console::paint(Tone tone, std::string_view text) const {
  return painted(output_is_terminal_ && colours_ ? tone : Tone::plain, text);
}

std::size_t Console::width() const {
  const std::size_t wished = wished_columns();
  if (!output_is_terminal_ && wished > 0) return std::max(wished, narrowest);
  return columns_of(STDOUT_FILENO, output_is_terminal_);
}

std::size_t Console::note_width() const { return columns_of(STDERR_FILENO, error_is_terminal_); }

std::size_t Console::prose_width() const {
  const bool is_known = output_is_terminal_ || wished_columns() > 0;
  return std::clamp(is_known ? width() : usual_width, narrowest, widest_prose);
}

Status Console::flush() const {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    return fail(Code::io, "cannot write to standard output: is the disk full?");
  return Done{};
}

bool Console::reader_is_gone() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < utf8.size();) width += next_width(utf8, at);
  return width;
}

std::string shortened(std::string_view utf8, std::size_t columns) {
  if (display_width(utf8) <= columns) return std::string(utf8);
  if (columns == 0) return "";
  std::size_t width = 0, end = 0;
  for (std::size_t at = 0; at < utf8.size(); end = at) {
    width += next_width(utf8, at);
    if (width > columns - 1) break;
  }
  return std::string(utf8.substr(0, end)) + "…";
}

std::vector<std::string> wrapped(std::string_view utf8, std::size_t columns, LongWords long_words) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = first_line(utf8, columns, long_words);
    lines.emplace_back(utf8.substr(0, utf8.substr(0, end).find_last_not_of(' ') + 1));
    if (end == utf8.size()) return lines;
    utf8.remove_prefix(utf8[end] == '\n' ? end + 1 : std::min(utf8.find_first_not_of(' ', end), utf8.size()));
  }
}

std::string fitted(std::string_view utf8, std::size_t columns) {
  std::string text;
  for (std::size_t at = 0, end = 0; at < utf8.size(); at = end + 1) {
    end = std::min(utf8.find('\n', at), utf8.size());
    const std::string_view line = utf8.substr(at, end - at);
    if (display_width(line) > columns && line.find(" sotto ") == std::string_view::npos) {
      const std::size_t gap = line.rfind("  ", columns / 4 * 3);
      const std::size_t start = gap == std::string_view::npos ? 0 : gap + 2;
      const std::size_t hang = display_width(line.substr(0, start));
      std::string lead(line.substr(0, start));
      for (const std::string& part : wrapped(line.substr(start), columns - hang, LongWords::stay)) {
        text += lead + part;
        lead = "\n" + std::string(hang, ' ');
      }
    } else {
      text += line;
    }
    if (end < utf8.size()) text += '\n';
  }
  return text;
}

std::string human_count(std::uint64_t count) {
  std::string text = fmt::format("{}", count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string human_bytes(double bytes) { return scaled(bytes, {" B", " kB", " MB", " GB", " TB"}); }

std::string human_number(double number) { return scaled(number, {"", " k", " M", " G", " T"}); }

std::string human_seconds(double seconds) {
  if (seconds < 99.5) return seconds < 10.0 ? three_digits(seconds) + " s" : fmt::format("{:.0f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string human_time(std::int64_t unix_seconds) {
  const auto seconds = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return fmt::format("{}", unix_seconds);
  return fmt::format("{:%Y-%m-%d %H:%M}", parts);
}

std::vector<double> thinned(const std::vector<double>& values, std::size_t points) {
  if (values.size() <= points || points == 0) return values;
  std::vector<double> means;
  for (std::size_t n = 0; n < points; ++n) {
    const std::size_t from = n * values.size() / points, to = (n + 1) * values.size() / points;
    means.push_back(std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from),
                                    values.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
                    static_cast<double>(to - from));
  }
  return means;
}

std::string sparkline(const std::vector<double>& values) {
  constexpr std::array bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.empty()) return "";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::string line;
  for (const double value : values) {
    const double height = *high > *low ? (value - *low) / (*high - *low) : 0.5;
    line += bars[static_cast<std::size_t>(std::clamp(height * 7.999, 0.0, 7.0))];
  }
  return line;
}

void Console::remember_typed(int count, const char* const* words) {
  typed_ = "sotto";
  for (int n = 1; n < count; ++n) typed_ += " " + shell_word(words[n]);
}

std::string shell_word(const std::string& word) {
  const auto harmless = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("/._-+=:,@%").find(letter) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), harmless)) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

}  // namespace sotto::engine
