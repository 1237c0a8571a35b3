#include "data/records_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/hash.h"
#include "data/names_io.h"
#include "data/values.h"

namespace sotto::data {

namespace {

void write_part(Writer& out, const PartRecords& part) {
  out.array(std::span(part.ratings)).array(std::span(part.times)).array(std::span(part.previous));
  for (const auto& column : part.columns) out.array(std::span(column));
}

PartRecords read_part(Reader& in, std::size_t columns) {
  PartRecords part;
  part.ratings = in.array<float>();
  part.times = in.array<std::int64_t>();
  part.previous = in.array<std::int64_t>();
  for (std::size_t column = 0; column < columns; ++column) part.columns.push_back(in.array<std::uint32_t>());
  return part;
}

// How many records a part has, as far as its arrays say; nothing where they do not agree.
std::optional<std::size_t> size_of(const Records& records, const PartRecords& part) {
  std::vector<std::size_t> sizes;
  if (records.has_ratings) sizes.push_back(part.ratings.size());
  if (records.time_kind != TimeKind::none) sizes.push_back(part.times.size());
  if (records.time_kind == TimeKind::unix_seconds) sizes.push_back(part.previous.size());
  for (const auto& column : part.columns) sizes.push_back(column.size());
  if ((!records.has_ratings && !part.ratings.empty()) ||
      (records.time_kind == TimeKind::none && !part.times.empty()) ||
      (records.time_kind != TimeKind::unix_seconds && !part.previous.empty()))
    return std::nullopt;
  if (sizes.empty()) return 0;
  const bool same = std::ranges::all_of(sizes, [&](std::size_t size) { return size == sizes.front(); });
  return same ? std::optional(sizes.front()) : std::nullopt;
}

bool lawful(const Records& records, const PartRecords& part) {
  if (!size_of(records, part)) return false;
  const RatingScale& scale = records.scale;
  for (const float rating : part.ratings)
    if (!(rating >= scale.lowest && rating <= scale.highest)) return false;
  for (std::size_t k = 0; k < part.previous.size(); ++k)
    if (part.times[k] == no_time || part.previous[k] > part.times[k]) return false;
  for (std::size_t column = 0; column < part.columns.size(); ++column)
    for (const std::uint32_t value : part.columns[column])
      if (value != no_value && value >= records.columns[column].values.size()) return false;
  return true;
}

void write_rows(Writer& out, const ContextRows& rows) {
  out.array(std::span(rows.ends)).array(std::span(rows.values));
}

ContextRows read_rows(Reader& in) {
  ContextRows rows;
  rows.ends = in.array<std::uint64_t>();
  rows.values = in.array<std::uint32_t>();
  return rows;
}

bool within(const ContextDimension& dimension, std::uint32_t value) {
  return value >= dimension.first && value - dimension.first < dimension.values.size();
}

// Rows that ascend, of values that come from there.
bool lawful(const Contexts& contexts, const ContextRows& rows, ContextSource source) {
  if (!spans(rows.ends, rows.values.size())) return false;
  for (const std::uint32_t value : rows.values)
    if (value >= contexts.values() || contexts.dimensions[contexts.dimension_of(value)].source != source)
      return false;
  for (std::uint32_t thing = 0; thing + 1 < rows.ends.size(); ++thing) {
    const auto row = rows.of(thing);
    for (std::size_t k = 1; k < row.size(); ++k)
      if (row[k - 1] >= row[k]) return false;
  }
  return true;
}

bool lawful(const Contexts& contexts, const PartContexts& part) {
  if (part.width == 0) return part.values.empty();
  if (part.values.size() % part.width != 0) return false;
  for (std::size_t k = 0; k < part.values.size(); ++k)
    if (part.values[k] != no_context && !within(contexts.dimensions[k % part.width], part.values[k]))
      return false;
  return true;
}

// One dimension behind another, records first; false where a number is out of turn.
bool read_dimensions(Reader& in, Contexts& contexts) {
  const auto count = in.number<std::uint64_t>();
  for (std::uint64_t n = 0; n < count && !in.spoiled(); ++n) {
    ContextDimension dimension;
    dimension.name = in.text();
    const auto side = in.number<std::uint8_t>(), source = in.number<std::uint8_t>();
    dimension.looks_back = in.number<bool>();
    if (side > 1 || source > 2) return false;
    dimension.side = ContextSide{side};
    dimension.source = ContextSource{source};
    if (!contexts.dimensions.empty() && contexts.dimensions.back().source > dimension.source) return false;
    const auto values = in.number<std::uint64_t>();
    for (std::uint64_t v = 0; v < values && !in.spoiled(); ++v) dimension.values.push_back(in.text());
    const std::size_t first = contexts.values();
    if (in.spoiled() || first + dimension.values.size() >= no_context) return false;
    dimension.first = static_cast<std::uint32_t>(first);
    contexts.dimensions.push_back(std::move(dimension));
  }
  return !in.spoiled();
}

std::string hash_of_bytes(const Bytes& bytes) {
  Hasher hasher;
  hasher.bytes(bytes);
  return std::move(hasher).hex();
}

}  // namespace

Result<RatingScale> parse_rating_scale(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto number = [](std::string_view token) {
    return parse_number(token).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  const double low = number(std::string_view(text).substr(0, colon));
  const double high = number(std::string_view(text).substr(std::min(colon + 1, text.size())));
  constexpr double most = 1e6;
  const bool in_range = low >= -most && low <= most && high >= -most && high <= most;
  const float lowest = in_range ? static_cast<float>(low) : 0.0f;
  const float highest = in_range ? static_cast<float>(high) : 0.0f;
  if (!(lowest < highest))
    return fail(Code::usage,
                fmt::format("'{}' is no rating scale: give the lowest and the highest rating, such as 1:5 or "
                            "0.5:5",
                            text));
  return RatingScale{lowest, highest};
}

Bytes save_records(const Records& records) {
  Writer out;
  out.number(records.scale.lowest).number(records.scale.highest);
  out.number(static_cast<std::uint8_t>(records.has_ratings ? 1 : 0));
  out.number(static_cast<std::uint8_t>(records.time_kind));
  out.number(static_cast<std::uint64_t>(records.columns.size()));
  for (const RecordColumn& column : records.columns) {
    out.text(column.name);
    write_names(out, column.values);
  }
  for (const PartRecords* part : {&records.train, &records.validation, &records.test}) write_part(out, *part);
  return std::move(out).take();
}

Result<Records> load_records(std::span<const std::byte> bytes, const std::string& name) {
  const auto refuse = [&] {
    return fail(Code::bad_input, name + ": the records are damaged: make them again from the interactions");
  };
  Records records;
  Reader in(bytes);
  records.scale.lowest = in.number<float>();
  records.scale.highest = in.number<float>();
  records.has_ratings = in.number<bool>();
  const auto kind = in.number<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(TimeKind::unix_seconds)) return refuse();
  records.time_kind = TimeKind{kind};
  const auto columns = in.number<std::uint64_t>();
  for (std::uint64_t n = 0; n < columns && !in.spoiled(); ++n) {
    RecordColumn& column = records.columns.emplace_back();
    column.name = in.text();
    if (!read_names(in, column.values)) return refuse();
  }
  for (PartRecords* part : {&records.train, &records.validation, &records.test})
    *part = read_part(in, records.columns.size());
  if (!in.finished() || !std::isfinite(records.scale.lowest) || !std::isfinite(records.scale.highest) ||
      records.scale.lowest > records.scale.highest)
    return refuse();
  for (const PartRecords* part : {&records.train, &records.validation, &records.test})
    if (!lawful(records, *part)) return refuse();
  return records;
}

Bytes save_contexts(const Contexts& contexts) {
  Writer out;
  out.number(static_cast<std::uint64_t>(contexts.dimensions.size()));
  for (const ContextDimension& dimension : contexts.dimensions) {
    out.text(dimension.name);
    out.number(static_cast<std::uint8_t>(dimension.side)).number(static_cast<std::uint8_t>(dimension.source));
    out.number(static_cast<std::uint8_t>(dimension.looks_back ? 1 : 0));
    out.number(static_cast<std::uint64_t>(dimension.values.size()));
    for (const std::string& value : dimension.values) out.text(value);
  }
  write_rows(out, contexts.items);
  write_rows(out, contexts.people);
  for (const PartContexts* part : {&contexts.train, &contexts.validation, &contexts.test})
    out.array(std::span(part->values));
  return std::move(out).take();
}

Result<Contexts> load_contexts(std::span<const std::byte> bytes, const std::string& name) {
  const auto refuse = [&] {
    return fail(Code::bad_input, name + ": the contexts are damaged: make them again from the interactions");
  };
  Contexts contexts;
  Reader in(bytes);
  if (!read_dimensions(in, contexts)) return refuse();
  contexts.items = read_rows(in);
  contexts.people = read_rows(in);
  const auto width = static_cast<std::size_t>(std::ranges::count(
      contexts.dimensions, ContextSource::record, [](const ContextDimension& d) { return d.source; }));
  for (PartContexts* part : {&contexts.train, &contexts.validation, &contexts.test}) {
    part->width = width;
    part->values = in.array<std::uint32_t>();
    if (!lawful(contexts, *part)) return refuse();
  }
  if (!in.finished() || !lawful(contexts, contexts.items, ContextSource::item) ||
      !lawful(contexts, contexts.people, ContextSource::person))
    return refuse();
  return contexts;
}

std::string Records::hash() const { return hash_of_bytes(save_records(*this)); }
std::string Contexts::hash() const { return hash_of_bytes(save_contexts(*this)); }

bool fits(const Records& records, const Split& split) {
  const bool anything =
      records.has_ratings || records.time_kind != TimeKind::none || !records.columns.empty();
  const auto as_long = [&](const PartRecords& part, const Histories& rows) {
    const auto size = size_of(records, part);
    return size && (!anything || *size == rows.interactions());
  };
  return as_long(records.train, split.train) && as_long(records.validation, split.validation) &&
         as_long(records.test, split.test);
}

bool fits(const Contexts& contexts, const Split& split) {
  const auto as_long = [](const PartContexts& part, const Histories& rows) {
    return part.values.size() == rows.interactions() * part.width;
  };
  const auto one_each = [](const ContextRows& rows, std::size_t things) {
    return rows.ends.size() == 1 || rows.ends.size() == things + 1;
  };
  return as_long(contexts.train, split.train) && as_long(contexts.validation, split.validation) &&
         as_long(contexts.test, split.test) && one_each(contexts.items, split.items.size()) &&
         one_each(contexts.people, split.users.size());
}

}  // namespace sotto::data
