#include "privacy/context_choice.h"

#include <fmt/core.h>

#include <charconv>

namespace sotto::privacy {

Status check_part(double share) {
  if (share >= 0.0 && share <= 1.0) return Done{};
  return fail(Code::usage, fmt::format("{} is no share: give a number from 0 (nothing) to 1 (all)", share));
}

Result<double> parse_choice(const std::string& text, const char* nothing) {
  if (text == "full") return 1.0;
  if (text == "partial") return usual_part;
  if (text == nothing) return 0.0;
  const std::string start = "partial:";
  double share = -1.0;
  if (text.starts_with(start)) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + start.size(), end, share);
    if (error != std::errc() || stop != end || !(share > 0.0 && share < 1.0))
      return fail(Code::usage,
                  fmt::format("'{}': a part is a number between 0 and 1, such as partial:0.3", text));
    return share;
  }
  return fail(Code::usage,
              fmt::format("unknown choice '{}': choose full, partial (or partial:0.3) or {}", text, nothing));
}

std::string choice_word(double share, const char* nothing) {
  if (share >= 1.0) return "full";
  if (share <= 0.0) return nothing;
  return share == usual_part ? "partial" : fmt::format("partial:{}", share);
}

}  // namespace sotto::privacy
