#include "data/recorded_contexts.h"

#include <algorithm>

#include "base/assert.h"

namespace sotto::data {

namespace {

constexpr const char* interval = "interval";
constexpr const char* daypart = "daypart";

// The number of a value by its name.
std::uint32_t number_of(const ContextDimension& dimension, std::string_view name) {
  const auto found = std::ranges::find(dimension.values, name);
  if (found == dimension.values.end()) return no_context;
  return dimension.first + static_cast<std::uint32_t>(found - dimension.values.begin());
}

std::uint32_t interval_of(const ContextDimension& dimension, const ContextSchema& schema,
                          const PartRecords& part, std::size_t record) {
  if (part.previous[record] == no_time) return number_of(dimension, first_interval);
  const std::int64_t between = part.times[record] - part.previous[record];
  return number_of(dimension, interval_name(interval_bin(between, schema), schema));
}

std::uint32_t word_of(const ContextDimension& dimension, const Records& records, std::size_t record) {
  for (std::size_t column = 0; column < records.columns.size(); ++column) {
    const RecordColumn& from = records.columns[column];
    if (from.name != dimension.name) continue;
    const std::uint32_t word = records.train.columns[column][record];
    return word == no_value ? no_context : number_of(dimension, from.values.name(word));
  }
  return no_context;
}

}  // namespace

bool belong_together(const Contexts& vocabulary, const ContextSchema& schema) {
  std::size_t records = 0;
  while (records < vocabulary.dimensions.size() &&
         vocabulary.dimensions[records].source == ContextSource::record)
    ++records;
  const auto is = [&](std::size_t place, const char* name) {
    return place < records && vocabulary.dimensions[place].name == name;
  };
  if (schema.interval && !is(0, interval)) return false;
  const std::size_t after = schema.interval ? 1 : 0;
  if (schema.daypart && !is(after, daypart)) return false;
  return schema.columns || records == after + (schema.daypart ? 1 : 0);
}

PartContexts recorded_contexts(const Contexts& vocabulary, const ContextSchema& schema,
                               const Records& records, std::size_t count) {
  SOTTO_ASSERT(belong_together(vocabulary, schema), "a vocabulary comes with its schema");
  const PartRecords& part = records.train;
  const bool dated = records.time_kind == TimeKind::unix_seconds;
  std::vector<const ContextDimension*> dimensions;
  for (const ContextDimension& dimension : vocabulary.dimensions)
    if (dimension.source == ContextSource::record) dimensions.push_back(&dimension);
  PartContexts made{.width = dimensions.size(), .values = {}};
  made.values.assign(count * made.width, no_context);
  const std::size_t of_time = (schema.interval ? 1u : 0u) + (schema.daypart ? 1u : 0u);
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    for (std::size_t k = 0; k < count; ++k) {
      std::uint32_t& value = made.values[k * made.width + d];
      if (d >= of_time)
        value = word_of(*dimensions[d], records, k);
      else if (dated && part.times[k] != no_time)
        value = schema.interval && d == 0
                    ? interval_of(*dimensions[d], schema, part, k)
                    : number_of(*dimensions[d], daypart_names[daypart_of(part.times[k], schema)]);
    }
  return made;
}

std::vector<std::uint32_t> person_contexts(const Contexts& vocabulary,
                                           std::span<const std::pair<std::string, std::string>> attributes) {
  std::vector<std::uint32_t> values;
  for (const ContextDimension& dimension : vocabulary.dimensions) {
    if (!dimension.is_attribute()) continue;
    for (const auto& [name, value] : attributes)
      if (name == dimension.name)
        if (const std::uint32_t number = number_of(dimension, value); number != no_context)
          values.push_back(number);
  }
  return values;
}

}  // namespace sotto::data
