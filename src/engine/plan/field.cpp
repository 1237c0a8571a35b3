#include "engine/plan/field.h"

#include <algorithm>

#include "engine/plan/make_field.h"

namespace sotto::engine {

std::string Field::section() const {
  const std::size_t dot = path.find('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string Field::key() const {
  const std::size_t dot = path.find('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

Result<PlanValue> Field::value_from(const std::vector<std::string>& typed) const {
  if (words == FlagWords::none) return typed_alone;
  PlanValue value{{}, words != FlagWords::one};
  if (words == FlagWords::commas && typed == std::vector<std::string>{""}) return value;  // an empty list
  for (const std::string& word : typed) {
    auto part = scalar_from(word, kind);
    if (!part.ok()) return fail(Code::usage, fmt::format("{}: {}", flag, part.error().message));
    value.parts.push_back(std::move(*part));
  }
  return value;
}

Field Field::with_standard(std::string text) const {
  Field out = *this;
  out.standard = std::move(text);
  return out;
}

Field Field::with_help(std::string text) const {
  Field out = *this;
  out.help = std::move(text);
  return out;
}

Field Field::with_values(std::vector<std::string> some) const {
  Field out = *this;
  out.values = std::move(some);
  return out;
}

Field Field::with_tries(std::vector<std::string> some) const {
  Field out = *this;
  out.tries = std::move(some);
  return out;
}

Field Field::in_group(std::string name) const {
  Field out = *this;
  out.group = std::move(name);
  return out;
}

Field Field::of_scope(std::string name) const {
  Field out = *this;
  out.scope = std::move(name);
  return out;
}

Fields joined(std::vector<Fields> parts) {
  Fields all;
  for (Fields& part : parts)
    all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  return all;
}

namespace fields {

Status take(const PlanScalar& value, std::string& out) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return fail(Code::usage, "a string in quotes is needed");
  out = *text;
  return Done{};
}

Status take(const PlanScalar& value, bool& out) {
  const auto* truth = std::get_if<bool>(&value);
  if (truth == nullptr) return fail(Code::usage, "true or false is needed");
  out = *truth;
  return Done{};
}

Status take_whole(const PlanScalar& value, std::uint64_t most, std::int64_t& out) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr) return fail(Code::usage, "a whole number is needed");
  if (*whole < 0 || static_cast<std::uint64_t>(*whole) > most)
    return fail(Code::usage, fmt::format("{} is out of range", *whole));
  out = *whole;
  return Done{};
}

Status take_number(const PlanScalar& value, double& out) {
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    out = static_cast<double>(*whole);
  else if (const auto* number = std::get_if<double>(&value))
    out = *number;
  else if (const auto* narrow = std::get_if<float>(&value))
    out = *narrow;
  else
    return fail(Code::usage, "a number is needed");
  return Done{};
}

Error not_a_list() { return fail(Code::usage, "a list in [ ] is needed"); }

Field unless_usual(Field field) {
  field.get = [get = field.get](const TrainRequest& request) -> std::optional<PlanValue> {
    std::optional<PlanValue> value = get(request);
    if (value == get(TrainRequest{.model = ChosenModel(request.model.entry())})) return std::nullopt;
    return value;
  };
  return field;
}

Field with_commas(Field field) {
  field.words = FlagWords::commas;
  return field;
}

Field setter(FieldText text, std::function<Status(TrainRequest&, const std::string&)> set) {
  Field field{.path = std::move(text.path),
              .flag = std::move(text.flag),
              .type = std::move(text.type),
              .help = std::move(text.help)};
  field.get = [](const TrainRequest&) { return std::optional<PlanValue>(); };
  field.set = [set = std::move(set)](TrainRequest& request, const PlanValue& value) -> Status {
    std::string word;
    if (value.list) return fail(Code::usage, "one value is needed, not a list");
    SOTTO_TRY_DONE(take(value.parts.front(), word));
    return set(request, word);
  };
  return field;
}

}  // namespace fields

}  // namespace sotto::engine
