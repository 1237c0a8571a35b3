#include "data/split_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sotto::data {

namespace {

// A dataset seen from a split: where the interaction of a user and an item of the split stands.
class Source {
 public:
  Source(const Dataset& dataset, const Split& split) : dataset_(&dataset), begins_(dataset.users.size() + 1) {
    for (const Interaction& row : dataset.interactions) ++begins_[row.user.value + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    for (std::uint32_t user = 0; user < split.users.size(); ++user)
      users_.push_back(dataset.users.find(split.users.name(user)));
    for (std::uint32_t item = 0; item < split.items.size(); ++item)
      items_.push_back(dataset.items.find(split.items.name(item)));
  }

  [[nodiscard]] const Dataset& dataset() const { return *dataset_; }
  // The places of a user's interactions: from, to.
  [[nodiscard]] std::pair<std::size_t, std::size_t> rows_of(std::uint32_t user) const {
    if (!users_[user]) return {0, 0};
    return {begins_[*users_[user]], begins_[*users_[user] + 1]};
  }
  [[nodiscard]] std::size_t place(std::uint32_t user, ItemIndex item) const {
    const auto [begin, end] = rows_of(user);
    SOTTO_ASSERT(items_[item.value].has_value(), "a part's items are its source's");
    const ItemIndex wanted{*items_[item.value]};
    const auto rows = std::span(dataset_->interactions).subspan(begin, end - begin);
    const auto found = std::lower_bound(rows.begin(), rows.end(), wanted,
                                        [](const Interaction& row, ItemIndex it) { return row.item < it; });
    SOTTO_ASSERT(found != rows.end() && found->item == wanted, "a part's pairs are its source's");
    return begin + static_cast<std::size_t>(found - rows.begin());
  }

 private:
  const Dataset* dataset_;
  std::vector<std::size_t> begins_;
  std::vector<std::optional<std::uint32_t>> users_, items_;
};

// Of each interaction of each source the time of the same user's one before it, in whichever source.
std::vector<std::vector<std::int64_t>> previous_times(const std::vector<Source>& sources, std::size_t users) {
  struct Moment {
    std::int64_t time;
    std::string_view item;
    std::size_t source, place;
  };
  std::vector<std::vector<std::int64_t>> previous;
  for (const Source& source : sources) previous.emplace_back(source.dataset().interactions.size(), no_time);
  std::vector<Moment> line;
  for (std::uint32_t user = 0; user < users; ++user) {
    line.clear();
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const auto [begin, end] = sources[s].rows_of(user);
      const Dataset& dataset = sources[s].dataset();
      for (std::size_t place = begin; place < end; ++place) {
        const Interaction& row = dataset.interactions[place];
        line.push_back({row.time, dataset.items.name(row.item.value), s, place});
      }
    }
    std::sort(line.begin(), line.end(), [](const Moment& a, const Moment& b) {
      return a.time != b.time ? a.time < b.time : a.item > b.item;
    });
    for (std::size_t k = 1; k < line.size(); ++k) previous[line[k].source][line[k].place] = line[k - 1].time;
  }
  return previous;
}

// The columns of all sources, and for each source's value its number among them.
class JoinedColumns {
 public:
  explicit JoinedColumns(const std::vector<Source>& sources) : numbers_(sources.size()), at_(sources.size()) {
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const Dataset& dataset = sources[s].dataset();
      for (std::size_t c = 0; c < dataset.columns.size(); ++c) add(s, c, dataset.columns[c]);
    }
    for (auto& at : at_) at.resize(columns_.size());
  }

  [[nodiscard]] const std::vector<RecordColumn>& columns() const { return columns_; }
  [[nodiscard]] std::uint32_t value(std::size_t source, const Dataset& dataset, std::size_t column,
                                    std::size_t place) const {
    const auto from = at_[source][column];
    if (!from) return no_value;
    const std::uint32_t value = dataset.column_values[*from][place];
    return value == no_value ? no_value : numbers_[source][*from][value];
  }

 private:
  void add(std::size_t source, std::size_t column, const RecordColumn& from) {
    std::size_t to = 0;
    while (to < columns_.size() && columns_[to].name != from.name) ++to;
    if (to == columns_.size()) columns_.push_back({from.name, {}});
    at_[source].resize(std::max(at_[source].size(), to + 1));
    at_[source][to] = column;
    auto& numbers = numbers_[source].emplace_back();
    for (std::uint32_t value = 0; value < from.values.size(); ++value)
      numbers.push_back(columns_[to].values.intern(from.values.name(value)));
  }

  std::vector<RecordColumn> columns_;
  std::vector<std::vector<std::vector<std::uint32_t>>> numbers_;  // source, its column, its value
  std::vector<std::vector<std::optional<std::size_t>>> at_;       // source, joined column: its column
};

// What all sources know, and how ratings are bounded.
Status settle_kinds(const RecordSources& sources, const std::optional<RatingScale>& scale, Records& records) {
  records.has_ratings = true;
  records.time_kind = TimeKind::unix_seconds;
  RatingScale found{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (const Dataset* source : sources) {
    if (source->interactions.empty()) continue;
    records.has_ratings = records.has_ratings && source->has_ratings;
    records.time_kind = std::min(records.time_kind, source->time_kind);
    for (const Interaction& row : source->interactions)
      found = {std::min(found.lowest, row.rating), std::max(found.highest, row.rating)};
  }
  if (!records.has_ratings) return Done{};
  if (scale && (found.lowest < scale->lowest || found.highest > scale->highest))
    return fail(Code::bad_input, fmt::format("ratings from {} to {} are not on the scale {}:{}; give the "
                                             "scale that they are on (--rating-scale)",
                                             found.lowest, found.highest, scale->lowest, scale->highest));
  records.scale = scale.value_or(found);
  return Done{};
}

}  // namespace

Result<Records> gather_records(const Split& split, const RecordSources& sources,
                               const std::optional<RatingScale>& scale) {
  Records records;
  SOTTO_TRY_DONE(settle_kinds(sources, scale, records));
  std::vector<Source> seen;
  std::array<std::size_t, 3> source_of{};
  for (std::size_t part = 0; part < sources.size(); ++part) {
    source_of[part] = part > 0 && sources[part] == sources[0] ? 0 : seen.size();
    if (source_of[part] == seen.size()) seen.emplace_back(*sources[part], split);
  }
  const JoinedColumns columns(seen);
  records.columns = columns.columns();
  std::vector<std::vector<std::int64_t>> previous;
  if (records.time_kind == TimeKind::unix_seconds) previous = previous_times(seen, split.users.size());
  const std::array parts{&split.train, &split.validation, &split.test};
  const std::array out{&records.train, &records.validation, &records.test};
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::size_t number = source_of[part];
    const Source& source = seen[number];
    out[part]->columns.resize(records.columns.size());
    for (std::uint32_t user = 0; user < split.users.size(); ++user)
      for (const ItemIndex item : parts[part]->of({user})) {
        const std::size_t place = source.place(user, item);
        const Interaction& row = source.dataset().interactions[place];
        if (records.has_ratings) out[part]->ratings.push_back(row.rating);
        if (records.time_kind != TimeKind::none) out[part]->times.push_back(row.time);
        if (!previous.empty()) out[part]->previous.push_back(previous[number][place]);
        for (std::size_t column = 0; column < records.columns.size(); ++column)
          out[part]->columns[column].push_back(columns.value(number, source.dataset(), column, place));
      }
  }
  return records;
}

Records without_records_of(const Records& records, const Split& split, UserIndex user) {
  Records rest = records;
  const auto take_out = [&](PartRecords& part, const Histories& rows) {
    const auto begin = static_cast<std::ptrdiff_t>(rows.offsets()[user.value]);
    const auto end = static_cast<std::ptrdiff_t>(rows.offsets()[user.value + 1]);
    const auto erase = [&](auto& values) {
      if (!values.empty()) values.erase(values.begin() + begin, values.begin() + end);
    };
    erase(part.ratings);
    erase(part.times);
    erase(part.previous);
    for (auto& column : part.columns) erase(column);
  };
  take_out(rest.train, split.train);
  take_out(rest.validation, split.validation);
  take_out(rest.test, split.test);
  return rest;
}

}  // namespace sotto::data
