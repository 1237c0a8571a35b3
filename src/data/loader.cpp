#include "data/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "data/values.h"

namespace sotto::data {

namespace {

// Reads one source into a dataset that may hold others already.
class SourceReader {
 public:
  SourceReader(const std::string& name, const TextFormat& format, const LoadOptions& options,
               Dataset& dataset)
      : name_(name), format_(format), options_(options), dataset_(dataset), splitter_(format.separator) {
    if (!dataset.columns.empty()) return;
    for (const auto& [context, column] : format.contexts) dataset.columns.push_back({context, {}});
    dataset.column_values.resize(dataset.columns.size());
  }

  Status read(std::string_view text);
  // How this source writes times; none where it has none.
  [[nodiscard]] TimeKind time_kind() const;

 private:
  enum class TimeStyle { unknown, number, date };

  [[nodiscard]] Error at_line(const std::string& what) const { return error_at(name_, line_, what); }
  Result<std::uint32_t> intern(IdTable& table, const char* role, std::string_view id);
  Result<UserIndex> user(std::string_view id);
  Status read_row();
  Status read_list();
  Status read_contexts();
  Result<float> rating(std::string_view token) const;
  Result<std::int64_t> time(std::string_view token);

  const std::string& name_;
  const TextFormat& format_;
  const LoadOptions& options_;
  Dataset& dataset_;
  FieldSplitter splitter_;
  std::vector<std::string_view> fields_;
  std::size_t line_ = 0;
  UserIndex last_user_;
  bool has_last_user_ = false;
  TimeStyle time_style_ = TimeStyle::unknown;
  bool large_times_ = false;
};

Status SourceReader::read(std::string_view text) {
  const std::size_t before = dataset_.interactions.size();
  const char counted = format_.shape == Shape::adjacency ? ' ' : '\n';
  dataset_.interactions.reserve(before + 1 +
                                static_cast<std::size_t>(std::count(text.begin(), text.end(), counted)));
  LineReader lines(text);
  std::string_view line;
  if (format_.header) (void)lines.next(line);
  while (lines.next(line)) {
    line_ = lines.number();
    if (!splitter_.split(line, fields_))
      return at_line("a quoted field does not end on its line; close the quote");
    SOTTO_TRY_DONE(format_.shape == Shape::adjacency ? read_list() : read_row());
  }
  if (dataset_.interactions.size() == before)
    return fail(Code::bad_input,
                name_ + ": there are no interactions in it; give a file with a line for each");
  return Done{};
}

Result<std::uint32_t> SourceReader::intern(IdTable& table, const char* role, std::string_view id) {
  const std::size_t known = table.size();
  if (known >= most_ids)
    return at_line(
        fmt::format("more than {} different {} ids, which no index holds; load fewer files", most_ids, role));
  const std::uint32_t index = table.intern(id);
  if (table.size() == known) return index;
  if (const char* fault = id_fault(id))
    return at_line(fmt::format("the {} id {}; correct the line", role, fault));
  return index;
}

Result<UserIndex> SourceReader::user(std::string_view id) {
  // Files are often grouped by user: one comparison spares the hash.
  if (has_last_user_ && dataset_.users.name(last_user_.value) == id) return last_user_;
  SOTTO_TRY(last_user_.value, intern(dataset_.users, "user", id));
  has_last_user_ = true;
  return last_user_;
}

Status SourceReader::read_row() {
  if (fields_.size() != format_.columns)
    return at_line(
        fmt::format("{} column{} where {} are expected ({}); correct the line, or split a file of mixed "
                    "formats",
                    fields_.size(), fields_.size() == 1 ? "" : "s", format_.columns, describe(format_)));
  Interaction row;
  const auto whose = format_.column_of(Role::user);
  SOTTO_TRY(row.user, user(whose ? fields_[*whose] : "one person"));
  SOTTO_TRY(row.item.value, intern(dataset_.items, "item", fields_[*format_.column_of(Role::item)]));
  if (const auto column = format_.column_of(Role::rating)) {
    SOTTO_TRY(row.rating, rating(fields_[*column]));
  }
  if (const auto column = format_.column_of(Role::time)) {
    SOTTO_TRY(row.time, time(fields_[*column]));
  }
  if (const auto column = format_.column_of(Role::category)) {
    auto& categories = dataset_.item_categories;
    if (categories.size() <= row.item.value) categories.resize(dataset_.items.size());
    if (categories[row.item.value].empty()) categories[row.item.value] = fields_[*column];
  }
  SOTTO_TRY_DONE(read_contexts());
  dataset_.interactions.push_back(row);
  return Done{};
}

Status SourceReader::read_contexts() {
  for (std::size_t k = 0; k < format_.contexts.size(); ++k) {
    const std::string_view cell = fields_[format_.contexts[k].second];
    std::uint32_t value = no_value;
    if (!cell.empty() && cell != "NA" && cell != "?") {
      SOTTO_TRY(value, intern(dataset_.columns[k].values, "context's", cell));
    }
    dataset_.column_values[k].push_back(value);
  }
  return Done{};
}

Status SourceReader::read_list() {
  Interaction row;
  SOTTO_TRY(row.user, user(fields_[0]));
  for (std::size_t k = 1; k < fields_.size(); ++k) {
    SOTTO_TRY(row.item.value, intern(dataset_.items, "item", fields_[k]));
    dataset_.interactions.push_back(row);
  }
  return Done{};
}

Result<float> SourceReader::rating(std::string_view token) const {
  const auto number = parse_number(token);
  const char* fault = nullptr;
  if (!number)
    fault = "is not a number";
  else if (!std::isfinite(static_cast<float>(*number)))
    fault = "is not a finite number";
  else if (*number < 0)
    fault = "is negative";
  if (fault != nullptr)
    return at_line(
        fmt::format("the rating {} {}; ratings are numbers from 0 up: correct the line, or name another "
                    "column",
                    excerpt(token), fault));
  const auto& scale = options_.scale;
  const auto value = static_cast<float>(*number);
  if (scale && (value < scale->lowest || value > scale->highest))
    return at_line(
        fmt::format("the rating {} is not on the scale {}:{}; correct the line, or give the scale "
                    "that the ratings are on (--rating-scale)",
                    excerpt(token), scale->lowest, scale->highest));
  return value;
}

Result<std::int64_t> SourceReader::time(std::string_view token) {
  const auto number = parse_number(token);
  const auto seconds = number ? whole_seconds(*number) : parse_date(token);
  if (!seconds)
    return at_line(
        fmt::format("the time {} is neither a number nor a date; write unix seconds, a rank, "
                    "2012-04-03, 2012-04-03T18:20:27Z or Tue Apr 03 18:20:27 +0000 2012",
                    excerpt(token)));
  const TimeStyle style = number ? TimeStyle::number : TimeStyle::date;
  if (time_style_ != TimeStyle::unknown && style != time_style_)
    return at_line(
        fmt::format("mixed formats: the time {} is a {}, the lines before have {}s; write all of them "
                    "in one way",
                    excerpt(token), number ? "number" : "date", number ? "date" : "number"));
  time_style_ = style;
  large_times_ = large_times_ || (number && *number > smallest_unix_time);
  return *seconds;
}

TimeKind SourceReader::time_kind() const {
  if (time_style_ == TimeStyle::unknown) return TimeKind::none;
  return time_style_ == TimeStyle::date || large_times_ ? TimeKind::unix_seconds : TimeKind::rank;
}

const char* words_for(TimeKind kind) {
  switch (kind) {
    case TimeKind::none:
      return "no times";
    case TimeKind::rank:
      return "ranks for times";
    case TimeKind::unix_seconds:
      return "times";
  }
  return "";
}

// Brings the rows of each user together, in the order they have.
void group_by_user(std::vector<Interaction>& rows, std::size_t users) {
  const auto earlier = [](const Interaction& a, const Interaction& b) { return a.user < b.user; };
  if (std::is_sorted(rows.begin(), rows.end(), earlier)) return;
  std::vector<std::uint64_t> next(users + 1, 0);
  for (const Interaction& row : rows) ++next[row.user.value + 1];
  for (std::size_t user = 0; user < users; ++user) next[user + 1] += next[user];
  std::vector<Interaction> grouped(rows.size());
  for (const Interaction& row : rows) grouped[next[row.user.value]++] = row;
  rows.swap(grouped);
}

// Brings the values of the columns into the order that sort_and_collapse() will give the rows.
void collapse_columns(Dataset& dataset) {
  if (dataset.columns.empty()) return;
  const auto& rows = dataset.interactions;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(rows[a].user, rows[a].item, rows[a].time) <
           std::tie(rows[b].user, rows[b].item, rows[b].time);
  });
  const auto is_latest = [&](std::size_t k) {
    return k + 1 == order.size() || rows[order[k]].user != rows[order[k + 1]].user ||
           rows[order[k]].item != rows[order[k + 1]].item;
  };
  for (auto& values : dataset.column_values) {
    std::vector<std::uint32_t> kept;
    for (std::size_t k = 0; k < order.size(); ++k)
      if (is_latest(k)) kept.push_back(values[order[k]]);
    values = std::move(kept);
  }
}

}  // namespace

std::uint64_t sort_and_collapse(std::vector<Interaction>& rows, std::size_t users) {
  group_by_user(rows, users);
  const auto by_item = [](const Interaction& a, const Interaction& b) { return a.item < b.item; };
  auto kept = rows.begin();
  for (auto begin = rows.begin(); begin != rows.end();) {
    auto end = begin;
    while (end != rows.end() && end->user == begin->user) ++end;
    if (!std::is_sorted(begin, end, by_item)) std::stable_sort(begin, end, by_item);
    for (auto row = begin; row != end;) {
      Interaction latest = *row;
      for (++row; row != end && row->item == latest.item; ++row)
        if (row->time >= latest.time) latest = *row;
      *kept++ = latest;
    }
    begin = end;
  }
  const auto collapsed = static_cast<std::uint64_t>(rows.end() - kept);
  rows.erase(kept, rows.end());
  return collapsed;
}

Result<TextFormat> inspect_format(const TextSource& source, const LoadOptions& options) {
  SOTTO_TRY(const DecodedText text, DecodedText::decode(source));
  return detect_format(source.name, text.view(), options.columns, options.needs_user);
}

Result<Dataset> load_interactions(std::span<const TextSource> sources, const LoadOptions& options) {
  Dataset dataset;
  for (const TextSource& source : sources) {
    SOTTO_TRY(const DecodedText text, DecodedText::decode(source));
    SOTTO_TRY(const TextFormat format,
              detect_format(source.name, text.view(), options.columns, options.needs_user));
    SourceReader reader(source.name, format, options, dataset);
    SOTTO_TRY_DONE(reader.read(text.view()));
    const bool first = &source == sources.data();
    if (!first &&
        (reader.time_kind() != dataset.time_kind || format.has(Role::rating) != dataset.has_ratings))
      return fail(
          Code::bad_input,
          fmt::format("{}: mixed formats: it has {} and {}, {} has {} and {}; load them apart or give them "
                      "the same columns",
                      source.name, words_for(reader.time_kind()),
                      format.has(Role::rating) ? "ratings" : "no ratings", sources[0].name,
                      words_for(dataset.time_kind), dataset.has_ratings ? "ratings" : "no ratings"));
    dataset.time_kind = reader.time_kind();
    dataset.has_ratings = format.has(Role::rating);
  }
  if (dataset.interactions.empty())
    return fail(Code::bad_input, "the dataset is empty; give at least one file of interactions");
  if (!dataset.item_categories.empty()) dataset.item_categories.resize(dataset.items.size());
  collapse_columns(dataset);
  dataset.repeated = sort_and_collapse(dataset.interactions, dataset.users.size());
  return dataset;
}

}  // namespace sotto::data
