#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "data/context_schema.h"

namespace sotto::data {

namespace {

// A dimension of records before its values are numbered: all names there could be, and of each record of
// each part the place of its name, or no_value.
struct RawDimension {
  ContextDimension dimension;
  std::vector<std::string> names;
  std::array<std::vector<std::uint32_t>, 3> raw;
  bool by_name = false;  // values are numbered by their names; else in the order given
};

std::array<const PartRecords*, 3> parts_of(const Records& records) {
  return {&records.train, &records.validation, &records.test};
}

Status check_times(const Records& records, const char* dimension) {
  if (records.time_kind == TimeKind::unix_seconds) return Done{};
  return fail(
      Code::bad_input,
      fmt::format("the context '{}' needs the time of each rating, and the data has {}: name the time "
                  "column (such as --columns user=1,item=2,rating=3,time=4), or leave '{}' out of "
                  "--contexts",
                  dimension, records.time_kind == TimeKind::none ? "none" : "ranks only", dimension));
}

RawDimension interval_dimension(const ContextSchema& schema) {
  RawDimension made{{"interval", ContextSide::user, ContextSource::record}, {first_interval}, {}};
  made.dimension.looks_back = true;
  for (std::uint32_t bin = 0; bin < schema.bins; ++bin) made.names.push_back(interval_name(bin, schema));
  return made;
}

RawDimension interval_dimension(const Records& records, const ContextSchema& schema) {
  RawDimension made = interval_dimension(schema);
  for (std::size_t part = 0; part < 3; ++part) {
    const PartRecords& from = *parts_of(records)[part];
    for (std::size_t k = 0; k < from.times.size(); ++k)
      made.raw[part].push_back(
          from.previous[k] == no_time ? 0 : 1 + interval_bin(from.times[k] - from.previous[k], schema));
  }
  return made;
}

RawDimension daypart_dimension() {
  return {{"daypart", ContextSide::item, ContextSource::record},
          {daypart_names.begin(), daypart_names.end()},
          {}};
}

RawDimension daypart_dimension(const Records& records, const ContextSchema& schema) {
  RawDimension made = daypart_dimension();
  for (std::size_t part = 0; part < 3; ++part)
    for (const std::int64_t time : parts_of(records)[part]->times)
      made.raw[part].push_back(daypart_of(time, schema));
  return made;
}

RawDimension column_dimension(const RecordColumn& from, ContextSource source = ContextSource::record) {
  RawDimension made{{from.name, ContextSide::user, source}, {}, {}, true};
  for (std::uint32_t value = 0; value < from.values.size(); ++value)
    made.names.emplace_back(from.values.name(value));
  return made;
}

RawDimension column_dimension(const Records& records, std::size_t column) {
  RawDimension made = column_dimension(records.columns[column]);
  for (std::size_t part = 0; part < 3; ++part) made.raw[part] = parts_of(records)[part]->columns[column];
  return made;
}

// Numbers for the values that were seen, from `first` up, and their names; the others get no_context.
std::vector<std::uint32_t> number_seen(const std::vector<std::string>& names,
                                       const std::vector<std::uint8_t>& seen, bool by_name,
                                       ContextDimension& dimension) {
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0u);
  if (by_name)
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return names[a] < names[b]; });
  std::vector<std::uint32_t> numbers(names.size(), no_context);
  for (const std::uint32_t value : order) {
    if (seen[value] == 0) continue;
    numbers[value] = dimension.first + static_cast<std::uint32_t>(dimension.values.size());
    dimension.values.push_back(names[value]);
  }
  return numbers;
}

ContextDimension begin_dimension(const Contexts& contexts, ContextDimension dimension) {
  dimension.first = static_cast<std::uint32_t>(contexts.values());
  return dimension;
}

void add_records(const std::vector<RawDimension>& raw, const Split& split, Contexts& contexts) {
  const std::array parts{&contexts.train, &contexts.validation, &contexts.test};
  const std::array rows{&split.train, &split.validation, &split.test};
  for (std::size_t part = 0; part < 3; ++part) {
    parts[part]->width = raw.size();
    parts[part]->values.assign(rows[part]->interactions() * raw.size(), no_context);
  }
  for (std::size_t d = 0; d < raw.size(); ++d) {
    ContextDimension dimension = begin_dimension(contexts, raw[d].dimension);
    std::vector<std::uint8_t> seen(raw[d].names.size(), 0);
    for (const std::uint32_t value : raw[d].raw[0])
      if (value != no_value) seen[value] = 1;
    const auto numbers = number_seen(raw[d].names, seen, raw[d].by_name, dimension);
    for (std::size_t part = 0; part < 3; ++part)
      for (std::size_t k = 0; k < raw[d].raw[part].size(); ++k)
        if (const std::uint32_t value = raw[d].raw[part][k]; value != no_value)
          parts[part]->values[k * raw.size() + d] = numbers[value];
    contexts.dimensions.push_back(std::move(dimension));
  }
}

// A person chooses by name, so each name is one dimension's; "recency" and "*" mean something of their own.
Status check_names(const Contexts& contexts) {
  std::set<std::string> names{"*"};
  for (const ContextDimension& dimension : contexts.dimensions) {
    const bool reserved = dimension.name == "recency" && !dimension.looks_back;
    if (reserved || !names.insert(dimension.name).second)
      return fail(
          Code::bad_input,
          fmt::format("two contexts would be called '{}': give the column or the predicate another name",
                      dimension.name));
  }
  return Done{};
}

// Features are numbered by (predicate, object), so that those of a predicate stand together.
template <class IsSeen>
void add_items(const ItemFeatures& features, const IsSeen& is_seen, Contexts& contexts) {
  std::vector<std::uint32_t> numbers(features.features(), no_context);
  std::string_view predicate;
  for (std::uint32_t feature = 0; feature < features.features(); ++feature) {
    if (feature == 0 || features.predicate({feature}) != predicate) {
      predicate = features.predicate({feature});
      contexts.dimensions.push_back(
          begin_dimension(contexts, {predicate_in_words(predicate), ContextSide::item, ContextSource::item}));
    }
    if (!is_seen(FeatureIndex{feature})) continue;
    numbers[feature] = static_cast<std::uint32_t>(contexts.values());
    contexts.dimensions.back().values.push_back(object_in_words(features.object({feature})));
  }
  for (std::uint32_t item = 0; item < features.items(); ++item) {
    for (const FeatureIndex feature : features.of({item}))
      if (numbers[feature.value] != no_context) contexts.items.values.push_back(numbers[feature.value]);
    contexts.items.ends.push_back(contexts.items.values.size());
  }
}

void add_items(const Split& split, Contexts& contexts) {
  const ItemFeatures& features = *split.features;
  const auto trained = split.train.popularity(split.items.size());
  const auto is_seen = [&](FeatureIndex feature) {
    return std::ranges::any_of(features.items_with(feature),
                               [&](ItemIndex item) { return trained[item.value] > 0; });
  };
  add_items(features, is_seen, contexts);
}

ContextDimension recency_dimension() {
  return {.name = "recency", .source = ContextSource::person, .looks_back = true};
}

void add_people(const Split& split, const PersonAttributes& people, Contexts& contexts) {
  std::vector<std::optional<std::uint32_t>> person_of;
  for (std::uint32_t user = 0; user < split.users.size(); ++user)
    person_of.push_back(people.people.find(split.users.name(user)));
  std::vector<std::vector<std::uint32_t>> numbers;
  for (std::size_t column = 0; column < people.columns.size(); ++column) {
    const RawDimension raw = column_dimension(people.columns[column], ContextSource::person);
    ContextDimension dimension = begin_dimension(contexts, raw.dimension);
    std::vector<std::uint8_t> seen(raw.names.size(), 0);
    for (std::uint32_t user = 0; user < split.users.size(); ++user)
      if (person_of[user] && !split.train.of({user}).empty())
        if (const std::uint32_t value = people.values[column][*person_of[user]]; value != no_value)
          seen[value] = 1;
    numbers.push_back(number_seen(raw.names, seen, raw.by_name, dimension));
    contexts.dimensions.push_back(std::move(dimension));
  }
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    for (std::size_t column = 0; person_of[user] && column < people.columns.size(); ++column) {
      const std::uint32_t value = people.values[column][*person_of[user]];
      if (value != no_value && numbers[column][value] != no_context)
        contexts.people.values.push_back(numbers[column][value]);
    }
    contexts.people.ends.push_back(contexts.people.values.size());
  }
}

}  // namespace

Result<Contexts> derive_contexts(const Split& split, const ContextSchema& schema,
                                 const PersonAttributes* people) {
  SOTTO_TRY_DONE(check(schema));
  const bool of_records = schema.interval || schema.daypart || schema.columns || schema.recency;
  if (of_records && !split.records)
    return fail(Code::bad_input,
                "this split holds no times of the ratings: contexts of ratings need the interaction files "
                "themselves (--data)");
  if (schema.interval) SOTTO_TRY_DONE(check_times(*split.records, "interval"));
  if (schema.daypart) SOTTO_TRY_DONE(check_times(*split.records, "daypart"));
  if (schema.recency) SOTTO_TRY_DONE(check_times(*split.records, "recency"));
  if (schema.columns && split.records->columns.empty())
    return fail(Code::bad_input,
                "the context 'columns' needs a further column of the data: name one with --columns, such as "
                "context.weather=5");
  if (schema.item && !split.features)
    return fail(Code::bad_input,
                "the context 'item' needs to know something about the items: give --kg, or --names with "
                "--kg-labels");
  if (schema.person && people == nullptr)
    return fail(Code::bad_input,
                "the context 'person' needs to know something about the people: give a file with --people");
  std::vector<RawDimension> raw;
  if (schema.interval) raw.push_back(interval_dimension(*split.records, schema));
  if (schema.daypart) raw.push_back(daypart_dimension(*split.records, schema));
  for (std::size_t column = 0; schema.columns && column < split.records->columns.size(); ++column)
    raw.push_back(column_dimension(*split.records, column));
  Contexts contexts;
  add_records(raw, split, contexts);
  if (schema.item) add_items(split, contexts);
  if (schema.person) add_people(split, *people, contexts);
  if (schema.recency) contexts.dimensions.push_back(begin_dimension(contexts, recency_dimension()));
  SOTTO_TRY_DONE(check_names(contexts));
  return contexts;
}

Result<Contexts> context_vocabulary(const ContextSchema& schema, const std::vector<RecordColumn>& columns,
                                    const ItemFeatures* features,
                                    const std::vector<RecordColumn>& attributes) {
  SOTTO_TRY_DONE(check(schema));
  SOTTO_ASSERT(!schema.item || features != nullptr, "who asks for items knows something about them");
  std::vector<RawDimension> raw;
  if (schema.interval) raw.push_back(interval_dimension(schema));
  if (schema.daypart) raw.push_back(daypart_dimension());
  for (const RecordColumn& column : columns) raw.push_back(column_dimension(column));
  Contexts contexts;
  const auto add_all = [&](const RawDimension& from) {
    ContextDimension dimension = begin_dimension(contexts, from.dimension);
    number_seen(from.names, std::vector<std::uint8_t>(from.names.size(), 1), from.by_name, dimension);
    contexts.dimensions.push_back(std::move(dimension));
  };
  for (const RawDimension& from : raw) add_all(from);
  if (schema.item)
    add_items(
        *features, [](FeatureIndex) { return true; }, contexts);
  for (const RecordColumn& from : attributes) add_all(column_dimension(from, ContextSource::person));
  if (schema.recency) contexts.dimensions.push_back(begin_dimension(contexts, recency_dimension()));
  SOTTO_TRY_DONE(check_names(contexts));
  return contexts;
}

Contexts without_contexts_of(const Contexts& contexts, const Split& split, UserIndex user) {
  Contexts rest = contexts;
  const auto take_out = [&](PartContexts& part, const Histories& rows) {
    const auto at = [&](std::uint64_t record) {
      return part.values.begin() + static_cast<std::ptrdiff_t>(record * part.width);
    };
    part.values.erase(at(rows.offsets()[user.value]), at(rows.offsets()[user.value + 1]));
  };
  take_out(rest.train, split.train);
  take_out(rest.validation, split.validation);
  take_out(rest.test, split.test);
  ContextRows& people = rest.people;
  if (user.value + 1 >= people.ends.size()) return rest;
  const std::uint64_t begin = people.ends[user.value], end = people.ends[user.value + 1];
  people.values.erase(people.values.begin() + static_cast<std::ptrdiff_t>(begin),
                      people.values.begin() + static_cast<std::ptrdiff_t>(end));
  for (std::size_t n = user.value + 1; n < people.ends.size(); ++n) people.ends[n] -= end - begin;
  return rest;
}

}  // namespace sotto::data
