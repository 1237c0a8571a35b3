#include "engine/plan/plan_value.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "storage/toml.h"

namespace sotto::engine {

namespace {

std::string text_of(const PlanScalar& scalar) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string>) {
          std::ostringstream out;
          out << toml::value<std::string>(value);
          return out.str();
        } else if constexpr (std::is_same_v<T, bool>) {
          return value ? "true" : "false";
        } else {
          return fmt::format("{}", value);
        }
      },
      scalar);
}

template <class T>
Result<PlanScalar> number_from(const std::string& word, const char* what) {
  T value{};
  const char* begin = word.data() + (word.starts_with('+') && !word.starts_with("+-") ? 1 : 0);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end)
    return fail(Code::usage, fmt::format("'{}' is not a {}", word, what));
  return PlanScalar(value);
}

}  // namespace

std::string to_text(const PlanValue& value) {
  if (!value.list) return text_of(value.parts.front());
  std::string text;
  for (const PlanScalar& part : value.parts) text += (text.empty() ? "" : ", ") + text_of(part);
  return "[" + text + "]";
}

Result<PlanScalar> scalar_from(const std::string& word, WordKind kind) {
  switch (kind) {
    case WordKind::truth:
      if (word == "true" || word == "false") return PlanScalar(word == "true");
      return fail(Code::usage, fmt::format("'{}' is neither true nor false", word));
    case WordKind::whole:
      return number_from<std::int64_t>(word, "whole number");
    case WordKind::number:
      return number_from<double>(word, "number");
    case WordKind::text:
      break;
  }
  return PlanScalar(word);
}

}  // namespace sotto::engine
