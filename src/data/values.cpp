#include "data/values.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace sotto::data {

namespace {

// Reads a date from left to right; after the first mismatch it stays failed.
class DateScanner {
 public:
  explicit DateScanner(std::string_view text) : rest_(text) {}

  // Exactly `digits` digits.
  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t k = 0; k < digits; ++k) {
      if (k >= rest_.size() || rest_[k] < '0' || rest_[k] > '9') return failed_ = true, 0;
      value = value * 10 + (rest_[k] - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  bool accept(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) failed_ = true;
  }
  // The place of the three letters in front among `names`.
  template <std::size_t N>
  unsigned word(const std::array<std::string_view, N>& names) {
    for (unsigned k = 0; k < N; ++k) {
      if (!rest_.starts_with(names[k])) continue;
      rest_.remove_prefix(names[k].size());
      return k;
    }
    failed_ = true;
    return 0;
  }
  void skip_fraction() {
    if (!accept('.')) return;
    number(1);
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') rest_.remove_prefix(1);
  }
  // Z, +0000, +00:00, or nothing at all; in seconds east of Greenwich.
  int offset() {
    if (accept('Z') || rest_.empty() || rest_.front() == ' ') return 0;
    const bool west = accept('-');
    if (!west) expect('+');
    const int hours = number(2);
    accept(':');
    const int minutes = number(2);
    if (hours > 14 || minutes > 59) failed_ = true;
    return (west ? -1 : 1) * (hours * 3600 + minutes * 60);
  }
  int clock() {
    const int hours = number(2);
    expect(':');
    const int minutes = number(2);
    int seconds = 0;
    if (accept(':')) seconds = number(2);
    if (hours > 23 || minutes > 59 || seconds > 60) failed_ = true;
    return hours * 3600 + minutes * 60 + seconds;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool finished() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

constexpr std::array<std::string_view, 7> weekdays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<std::int64_t> seconds_of(int year, unsigned month, int day, int of_day) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days{date}.time_since_epoch().count();
  return std::int64_t{days} * 86400 + of_day;
}

std::optional<std::int64_t> parse_weekday_date(std::string_view token) {
  DateScanner scan(token);
  scan.word(weekdays);
  scan.expect(' ');
  const unsigned month = scan.word(months) + 1;
  scan.expect(' ');
  const int day = scan.number(2);
  scan.expect(' ');
  int of_day = scan.clock();
  scan.expect(' ');
  of_day -= scan.offset();
  scan.expect(' ');
  const int year = scan.number(4);
  return scan.finished() ? seconds_of(year, month, day, of_day) : std::nullopt;
}

std::optional<std::int64_t> parse_iso_date(std::string_view token) {
  DateScanner scan(token);
  const int year = scan.number(4);
  scan.expect('-');
  const int month = scan.number(2);
  scan.expect('-');
  const int day = scan.number(2);
  int of_day = 0;
  if (!scan.at_end()) {
    if (!scan.accept('T')) scan.expect(' ');
    of_day = scan.clock();
    scan.skip_fraction();
    of_day -= scan.offset();
  }
  return scan.finished() ? seconds_of(year, static_cast<unsigned>(month), day, of_day) : std::nullopt;
}

}  // namespace

std::optional<double> parse_number(std::string_view token) {
  if (token.empty()) return std::nullopt;
  // Most numbers are short runs of digits.
  if (token.size() <= 15) {
    std::int64_t value = 0;
    std::size_t at = 0;
    while (at < token.size() && token[at] >= '0' && token[at] <= '9')
      value = value * 10 + (token[at++] - '0');
    if (at == token.size()) return static_cast<double>(value);
  }
  double value = 0.0;
  const auto [end, problem] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (problem != std::errc{} || end != token.data() + token.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_date(std::string_view token) {
  if (token.size() < 10) return std::nullopt;
  return token[0] >= '0' && token[0] <= '9' ? parse_iso_date(token) : parse_weekday_date(token);
}

std::optional<std::int64_t> whole_seconds(double number) {
  if (!std::isfinite(number) || std::abs(number) > 1e17) return std::nullopt;
  while (std::abs(number) > 1e11) number /= 1000.0;
  return static_cast<std::int64_t>(std::floor(number));
}

}  // namespace sotto::data
