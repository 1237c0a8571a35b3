#include "data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "data/split_parts.h"
#include "data/split_records.h"

namespace sotto::data {

namespace {

// The place of each item when all are ordered by id: what breaks ties in time.
std::vector<std::uint32_t> id_places(const IdTable& items) {
  std::vector<std::uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return items.name(a) < items.name(b); });
  std::vector<std::uint32_t> places(items.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

bool needs_times(const SplitRule& rule) {
  return std::holds_alternative<TemporalHoldout>(rule) || std::holds_alternative<FixedTimestamp>(rule);
}

Status check_options(const Dataset& dataset, const SplitOptions& options) {
  const auto inside = [](double share) { return share > 0.0 && share < 1.0; };
  const auto* temporal = std::get_if<TemporalHoldout>(&options.rule);
  const auto* random = std::get_if<RandomHoldout>(&options.rule);
  if ((temporal && !inside(temporal->train_share)) || (random && !inside(random->train_share)))
    return fail(Code::usage, "the training share lies between 0 and 1, such as 0.8");
  if (options.validation_share != 0.0 && !inside(options.validation_share))
    return fail(Code::usage, "the validation share is 0 (none) or lies between 0 and 1, such as 0.1");
  if (needs_times(options.rule) && dataset.time_kind == TimeKind::none)
    return fail(Code::bad_input,
                fmt::format("the split {} needs times and the data has none; use random:0.8, or "
                            "name the time column",
                            to_string(options.rule)));
  if (std::holds_alternative<FixedTimestamp>(options.rule) && dataset.time_kind != TimeKind::unix_seconds)
    return fail(Code::bad_input, fmt::format("the split {} needs dates and the data has ranks only; use "
                                             "temporal:0.8",
                                             to_string(options.rule)));
  return Done{};
}

// Lines up one user's interactions, oldest first (or at random), and cuts the line in three.
class UserCutter {
 public:
  UserCutter(const Dataset& dataset, const SplitOptions& options)
      : options_(options),
        places_(id_places(dataset.items)),
        at_random_(std::holds_alternative<RandomHoldout>(options.rule) ||
                   dataset.time_kind == TimeKind::none) {}

  void cut(std::uint32_t user, std::span<const Interaction> rows, SplitParts& parts) {
    line_.assign(rows.begin(), rows.end());
    std::sort(line_.begin(), line_.end(), [&](const Interaction& a, const Interaction& b) {
      if (!at_random_ && a.time != b.time) return a.time < b.time;
      return places_[a.item.value] > places_[b.item.value];
    });
    if (at_random_) shuffle(user);
    const std::size_t test = line_.empty() ? 0 : test_count();
    const std::size_t validation = validation_count(line_.size() - test);
    const std::size_t train = line_.size() - test - validation;
    draw_judged(user, test);
    for (std::size_t k = 0; k < line_.size(); ++k) {
      const bool judged = k >= train + validation && judged_[k - train - validation] != 0;
      const bool validated = k >= train && k < train + validation;
      (judged ? parts.test : validated ? parts.validation : parts.train).add(line_[k].item);
    }
    parts.train.end_user();
    parts.validation.end_user();
    parts.test.end_user();
  }

  [[nodiscard]] bool at_random() const { return at_random_; }

 private:
  void shuffle(std::uint32_t user) {
    Stream stream(options_.seed, Purpose::split_data, 0, user);
    for (std::size_t k = line_.size(); k > 1; --k)
      std::swap(line_[k - 1], line_[stream.below(static_cast<std::uint32_t>(k))]);
  }

  // Which of the user's so many test items are judged: all, or as many as asked for.
  void draw_judged(std::uint32_t user, std::size_t test) {
    judged_.assign(test, options_.most_test == 0 ? 1 : 0);
    Stream stream(options_.seed, Purpose::split_data, 1, user);
    // One after another passes with the chance that as many as are still wanted come out of those left.
    std::uint32_t wanted = options_.most_test;
    for (std::size_t k = 0; k < test && wanted > 0; ++k) {
      if (stream.below(static_cast<std::uint32_t>(test - k)) >= wanted) continue;
      judged_[k] = 1;
      --wanted;
    }
  }

  [[nodiscard]] std::size_t test_count() const {
    if (const auto* temporal = std::get_if<TemporalHoldout>(&options_.rule))
      return share_of(1.0 - temporal->train_share, line_.size());
    if (const auto* random = std::get_if<RandomHoldout>(&options_.rule))
      return line_.size() - std::max<std::size_t>(share_of(random->train_share, line_.size()), 1);
    if (const auto* fixed = std::get_if<FixedTimestamp>(&options_.rule)) {
      const auto late = [&](const Interaction& row) { return row.time >= fixed->unix_seconds; };
      return static_cast<std::size_t>(std::count_if(line_.begin(), line_.end(), late));
    }
    return line_.size() >= 2 ? 1 : 0;
  }

  [[nodiscard]] std::size_t validation_count(std::size_t trainable) const {
    if (options_.validation_share == 0.0) return 0;
    if (std::holds_alternative<LeaveOneOut>(options_.rule)) return trainable >= 2 ? 1 : 0;
    return share_of(options_.validation_share, trainable);
  }

  const SplitOptions& options_;
  std::vector<std::uint32_t> places_;
  bool at_random_;
  std::vector<Interaction> line_;
  std::vector<std::uint8_t> judged_;  // of the test items, oldest first
};

// Indices of `part`'s ids in the tables that hold all parts.
std::vector<std::uint32_t> joined(const IdTable& part, IdTable& all) {
  std::vector<std::uint32_t> indices(part.size());
  for (std::uint32_t index = 0; index < part.size(); ++index) indices[index] = all.intern(part.name(index));
  return indices;
}

void join_labels(const std::vector<std::string>& labels, const std::vector<std::uint32_t>& items,
                 std::size_t item_count, std::vector<std::string>& all) {
  if (labels.empty()) return;
  all.resize(item_count);
  for (std::size_t item = 0; item < items.size(); ++item)
    if (all[items[item]].empty()) all[items[item]] = labels[item];
}

// One given part as rows over all users.
PartRows part_rows(const Dataset& part, const std::vector<std::uint32_t>& users,
                   const std::vector<std::uint32_t>& items, std::size_t user_count) {
  PartRows rows;
  rows.offsets.assign(user_count + 1, 0);
  for (const Interaction& row : part.interactions) ++rows.offsets[users[row.user.value] + 1];
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.items.resize(part.interactions.size());
  auto next = rows.offsets;
  std::vector<Interaction> line(part.interactions);
  rows.oldest_first = part.time_kind != TimeKind::none;
  if (rows.oldest_first)
    std::stable_sort(line.begin(), line.end(),
                     [](const Interaction& a, const Interaction& b) { return a.time < b.time; });
  for (const Interaction& row : line)
    rows.items[next[users[row.user.value]]++] = ItemIndex{items[row.item.value]};
  return rows;
}

// Gives the split what its options ask for beside the parts; `sources` are those of train, validation, test.
Result<Split> with_records(Split split, const RecordSources& sources, const SplitOptions& options) {
  if (!options.keep_records) return split;
  SOTTO_TRY(Records records, gather_records(split, sources, options.scale));
  split.records = std::make_shared<const Records>(std::move(records));
  return split;
}

}  // namespace

Result<Split> split_dataset(const Dataset& dataset, const SplitOptions& options) {
  SOTTO_TRY_DONE(check_options(dataset, options));
  SplitParts parts;
  UserCutter cutter(dataset, options);
  parts.train.oldest_first = !cutter.at_random();
  const std::span<const Interaction> rows(dataset.interactions);
  std::size_t begin = 0;
  for (std::uint32_t user = 0; user < dataset.users.size(); ++user) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].user.value == user) ++end;
    cutter.cut(user, rows.subspan(begin, end - begin), parts);
    begin = end;
  }
  SOTTO_ASSERT(begin == rows.size(), "interactions are sorted by user");
  SOTTO_TRY(Split split, assemble_split(dataset.users, dataset.items, std::move(parts), dataset.item_names,
                                        dataset.item_categories));
  return with_records(std::move(split), {&dataset, &dataset, &dataset}, options);
}

Result<Split> join_given_parts(const Dataset& train, const Dataset& validation, const Dataset& test,
                               const SplitOptions& options) {
  const std::array<const Dataset*, 3> given{&train, &validation, &test};
  IdTable users, items;
  std::array<std::vector<std::uint32_t>, 3> user_of, item_of;
  for (std::size_t k = 0; k < given.size(); ++k) {
    user_of[k] = joined(given[k]->users, users);
    item_of[k] = joined(given[k]->items, items);
  }
  std::vector<std::string> names, categories;
  for (std::size_t k = 0; k < given.size(); ++k) {
    join_labels(given[k]->item_names, item_of[k], items.size(), names);
    join_labels(given[k]->item_categories, item_of[k], items.size(), categories);
  }
  SplitParts parts{part_rows(train, user_of[0], item_of[0], users.size()),
                   part_rows(validation, user_of[1], item_of[1], users.size()),
                   part_rows(test, user_of[2], item_of[2], users.size())};
  parts.validation.oldest_first = parts.test.oldest_first = false;  // nobody asks for their ages
  SOTTO_TRY(Split split, assemble_split(std::move(users), items, std::move(parts), names, categories));
  if (auto lawful = check_laws(split); !lawful.ok())
    return fail(Code::bad_input, "the given parts do not fit together: " + lawful.error().message +
                                     "; remove from one file the pairs that another holds too");
  return with_records(std::move(split), {&train, &validation, &test}, options);
}

}  // namespace sotto::data
