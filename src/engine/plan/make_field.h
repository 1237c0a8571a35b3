// Rows of the table of fields from where a value lies: its type decides how it is written, read and checked.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <type_traits>

#include "engine/plan/field.h"

namespace sotto::engine {

namespace fields {

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

template <class T>
constexpr WordKind kind_of() {
  if constexpr (is_optional<T>::value || is_vector<T>::value)
    return kind_of<typename T::value_type>();
  else if constexpr (std::is_same_v<T, bool>)
    return WordKind::truth;
  else if constexpr (std::is_integral_v<T>)
    return WordKind::whole;
  else if constexpr (std::is_floating_point_v<T>)
    return WordKind::number;
  return WordKind::text;
}

// What is wrong with the value; nothing where it was taken.
[[nodiscard]] Status take(const PlanScalar& value, std::string& out);
[[nodiscard]] Status take(const PlanScalar& value, bool& out);
[[nodiscard]] Status take_whole(const PlanScalar& value, std::uint64_t most, std::int64_t& out);
[[nodiscard]] Status take_number(const PlanScalar& value, double& out);
[[nodiscard]] Error not_a_list();
template <std::integral T>
Status take(const PlanScalar& value, T& out) {
  std::int64_t whole = 0;
  SOTTO_TRY_DONE(take_whole(value, static_cast<std::uint64_t>(std::numeric_limits<T>::max()), whole));
  out = static_cast<T>(whole);
  return Done{};
}
template <std::floating_point T>
Status take(const PlanScalar& value, T& out) {
  double number = 0.0;
  SOTTO_TRY_DONE(take_number(value, number));
  out = static_cast<T>(number);
  return Done{};
}

template <class T>
PlanScalar scalar_of(const T& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return static_cast<std::int64_t>(value);
  else
    return value;
}

// The Field of a value that lies at `at(request)`: a number, a word, a truth, a list or an optional of these.
template <class At>
Field field(FieldText text, At at) {
  using T = std::remove_cvref_t<decltype(at(std::declval<TrainRequest&>()))>;
  Field field{.path = std::move(text.path),
              .flag = std::move(text.flag),
              .type = std::move(text.type),
              .help = std::move(text.help),
              .kind = kind_of<T>()};
  field.get = [at](const TrainRequest& request) -> std::optional<PlanValue> {
    const T& value = at(request);
    if constexpr (is_optional<T>::value) {
      if (!value) return std::nullopt;
      return PlanValue{{scalar_of(*value)}};
    } else if constexpr (is_vector<T>::value) {
      if (value.empty()) return std::nullopt;
      PlanValue out{{}, true};
      for (const auto& part : value) out.parts.push_back(scalar_of(part));
      return out;
    } else {
      if constexpr (std::is_same_v<T, std::string>)
        if (value.empty()) return std::nullopt;
      return PlanValue{{scalar_of(value)}};
    }
  };
  field.set = [at](TrainRequest& request, const PlanValue& value) -> Status {
    T& out = at(request);
    if constexpr (is_vector<T>::value) {
      if (!value.list) return not_a_list();
      T parts;
      for (const PlanScalar& part : value.parts) SOTTO_TRY_DONE(take(part, parts.emplace_back()));
      out = std::move(parts);
      return Done{};
    } else {
      if (value.list) return fail(Code::usage, "one value is needed, not a list");
      if constexpr (is_optional<T>::value)
        return take(value.parts.front(), out.emplace());
      else
        return take(value.parts.front(), out);
    }
  };
  if constexpr (is_vector<T>::value) field.words = FlagWords::many;
  return field;
}

// Of a value with names: `parse` reads one, to_string() writes it.
template <class At, class Parse>
Field named(FieldText text, At at, Parse parse, std::vector<std::string> values = {}) {
  using T = std::remove_cvref_t<decltype(at(std::declval<TrainRequest&>()))>;
  Field field{.path = std::move(text.path),
              .flag = std::move(text.flag),
              .type = std::move(text.type),
              .help = std::move(text.help),
              .values = std::move(values)};
  field.get = [at](const TrainRequest& request) -> std::optional<PlanValue> {
    if constexpr (is_optional<T>::value) {
      if (!at(request)) return std::nullopt;
      return PlanValue{{std::string(to_string(*at(request)))}};
    } else {
      return PlanValue{{std::string(to_string(at(request)))}};
    }
  };
  field.set = [at, parse](TrainRequest& request, const PlanValue& value) -> Status {
    std::string word;
    if (value.list) return fail(Code::usage, "one value is needed, not a list");
    SOTTO_TRY_DONE(take(value.parts.front(), word));
    SOTTO_TRY(at(request), parse(word));
    return Done{};
  };
  return field;
}

// A switch: the flag alone sets `value`.
template <class At>
Field toggle(FieldText text, At at, bool value = true) {
  Field made = field(std::move(text), at);
  made.words = FlagWords::none;
  made.typed_alone = PlanValue{{value}};
  return made;
}

}  // namespace fields

}  // namespace sotto::engine
