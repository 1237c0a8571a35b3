#include "engine/plan/context_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/values.h"
#include "engine/files/files.h"

namespace sotto::engine {

namespace {

constexpr std::array known_contexts{"interval", "daypart", "columns", "item",
                                    "person",   "recency", "all",     "none"};

Status set_day(const std::string& text, ContextSchema& schema) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto hour = [](std::string_view token) { return parse_number(token).value_or(-1.0); };
  const double from = hour(std::string_view(text).substr(0, dash));
  const double to = hour(std::string_view(text).substr(std::min(dash + 1, text.size())));
  const auto is_hour = [](double value) {
    return value >= 0.0 && value <= 24.0 && value == static_cast<double>(static_cast<int>(value));
  };
  if (!is_hour(from) || !is_hour(to))
    return fail(
        Code::usage,
        fmt::format("'{}' is not a day: give its first hour and that of the night, such as --day 6-18",
                    text));
  schema.day_from = static_cast<std::uint32_t>(from);
  schema.night_from = static_cast<std::uint32_t>(to);
  return Done{};
}

// The attributes, which are of people in the data.
Result<PersonAttributes> load_people(const std::string& path, const IdTable& users) {
  SOTTO_TRY(const std::string text, read_text(path));
  SOTTO_TRY(PersonAttributes people, load_person_attributes({path, text}));
  for (std::uint32_t user = 0; user < users.size(); ++user)
    if (people.people.find(users.name(user))) return people;
  return fail(Code::bad_input,
              path + ": none of its people is in the data: is it the right file for --people?");
}

// The schema without what it is of.
Result<ContextSchema> options_of(const ContextRequest& request) {
  ContextSchema schema;
  schema.bin_hours = request.interval_hours.value_or(schema.bin_hours);
  schema.bins = request.interval_bins.value_or(schema.bins);
  schema.exact_bins = request.interval_exact;
  schema.utc_offset_hours = request.utc_offset.value_or(schema.utc_offset_hours);
  if (!request.day.empty()) SOTTO_TRY_DONE(set_day(request.day, schema));
  SOTTO_TRY_DONE(check(schema));
  return schema;
}

}  // namespace

bool ContextRequest::asks_for(const std::string& what) const {
  return std::ranges::find(of, what) != of.end();
}

Status check(const ContextRequest& request) {
  for (const std::string& what : request.of)
    if (std::ranges::find(known_contexts, what) == known_contexts.end())
      return fail(Code::usage, fmt::format("unknown context '{}': choose from interval, daypart, columns, "
                                           "item, person and recency, or all, or none",
                                           what));
  if (request.of.size() > 1 && (request.asks_for("all") || request.asks_for("none")))
    return fail(Code::usage, "contexts are all, none, or a list of the others: --contexts interval,daypart");
  if (!request.people.empty() && !request.asks_for("person") && !request.asks_for("all"))
    return fail(Code::usage,
                "people's attributes are a context: add person to --contexts, or leave --people "
                "out");
  if (request.people.empty() && request.asks_for("person"))
    return fail(Code::usage, "the context 'person' needs people's attributes: give a file with --people");
  SOTTO_TRY(const ContextSchema schema, options_of(request));
  static_cast<void>(schema);
  return Done{};
}

Result<ContextSchema> schema_of(const ContextRequest& request, const Split& split,
                                const PersonAttributes* people) {
  SOTTO_TRY(ContextSchema schema, options_of(request));
  const bool all = request.asks_for("all");
  const bool dated = split.records && split.records->time_kind == TimeKind::unix_seconds;
  schema.interval = request.asks_for("interval") || (all && dated);
  schema.daypart = request.asks_for("daypart") || (all && dated);
  schema.columns = request.asks_for("columns") || (all && split.records && !split.records->columns.empty());
  schema.item = request.asks_for("item") || (all && split.features);
  schema.recency = request.asks_for("recency") || (all && dated);
  schema.person = request.asks_for("person") || (all && people != nullptr);
  return schema;
}

Status attach_contexts(const ContextRequest& request, Split& split) {
  if (!request.asked()) return Done{};
  std::optional<PersonAttributes> people;
  if (!request.people.empty()) {
    SOTTO_TRY(people, load_people(request.people, split.users));
  }
  const PersonAttributes* known_people = people ? &*people : nullptr;
  SOTTO_TRY(const ContextSchema schema, schema_of(request, split, known_people));
  SOTTO_TRY(Contexts contexts, derive_contexts(split, schema, known_people));
  split.contexts = std::make_shared<const Contexts>(std::move(contexts));
  return Done{};
}

}  // namespace sotto::engine
