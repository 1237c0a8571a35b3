#include "device/own_history.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/recorded_contexts.h"
#include "data/values.h"
#include "device/item_number.h"

namespace sotto::device {

namespace {

using Kept = std::vector<KeptInteraction>;

constexpr std::int64_t second_ms = 1000;

// A thing that the task knows: its row, and its place among those that are kept.
struct KnownItem {
  ItemIndex row;
  std::size_t place = 0;
};

// With a rating on the task's scale.
bool is_rated(const KeptInteraction& one, const TaskCatalogue* catalogue) {
  if (!one.rating || catalogue == nullptr || !catalogue->scale) return one.rating.has_value();
  const auto rating = static_cast<float>(*one.rating);
  return rating >= catalogue->scale->lowest && rating <= catalogue->scale->highest;
}

std::vector<KnownItem> known_items(const Kept& kept, const ItemNames& names, const Task& task) {
  const bool needs_ratings = task.model != nullptr && task.model->needs_ratings;
  std::vector<KnownItem> known;
  known.reserve(kept.size());
  for (std::size_t place = 0; place < kept.size(); ++place) {
    const KeptInteraction& one = kept[place];
    const auto row = names.find(one.item);
    if (row && (!needs_ratings || is_rated(one, names.catalogue))) known.push_back({*row, place});
  }
  std::ranges::sort(known, {}, &KnownItem::row);
  return known;
}

// The places of those whose time is known, the newest first.
std::vector<std::size_t> newest_first(const Kept& kept) {
  std::vector<std::size_t> order;
  for (std::size_t place = 0; place < kept.size(); ++place)
    if (kept[place].time_ms) order.push_back(place);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return kept[a].time_ms != kept[b].time_ms ? kept[a].time_ms > kept[b].time_ms
                                              : kept[a].item < kept[b].item;
  });
  return order;
}

std::vector<std::uint16_t> ages_of(const std::vector<KnownItem>& known, std::size_t kept,
                                   const std::vector<std::size_t>& order) {
  constexpr std::size_t not_known = Histories::most_age;
  std::vector<std::size_t> item_at(kept, known.size());
  for (std::size_t k = 0; k < known.size(); ++k) item_at[known[k].place] = k;
  std::vector<std::uint16_t> ages(known.size(), not_known);
  std::size_t newer = 0;
  for (const std::size_t place : order)
    if (const std::size_t k = item_at[place]; k < known.size())
      ages[k] = static_cast<std::uint16_t>(std::min<std::size_t>(newer++, Histories::most_age));
  return ages;
}

TimeKind time_kind_of(const Kept& kept, const std::vector<std::size_t>& order) {
  if (order.empty()) return TimeKind::none;
  const auto oldest = static_cast<double>(*kept[order.back()].time_ms);
  return oldest > smallest_unix_time * second_ms ? TimeKind::unix_seconds : TimeKind::rank;
}

void add_times(const Kept& kept, const std::vector<KnownItem>& known, const std::vector<std::size_t>& order,
               Records& records) {
  records.time_kind = time_kind_of(kept, order);
  if (records.time_kind == TimeKind::none) return;
  const std::int64_t unit = records.time_kind == TimeKind::unix_seconds ? second_ms : 1;
  std::vector<std::int64_t> before(kept.size(), no_time);
  for (std::size_t n = 0; n + 1 < order.size(); ++n) before[order[n]] = *kept[order[n + 1]].time_ms / unit;
  for (const KnownItem& one : known) {
    const auto time = kept[one.place].time_ms;
    records.train.times.push_back(time ? *time / unit : no_time);
    if (records.time_kind == TimeKind::unix_seconds) records.train.previous.push_back(before[one.place]);
  }
}

void add_columns(const Kept& kept, const std::vector<KnownItem>& known, Records& records) {
  IdTable names;
  for (std::size_t k = 0; k < known.size(); ++k)
    for (const auto& [name, value] : kept[known[k].place].contexts) {
      const std::uint32_t column = names.intern(name);
      if (column == records.columns.size()) {
        records.columns.push_back({name, {}});
        records.train.columns.emplace_back(known.size(), no_value);
      }
      records.train.columns[column][k] = records.columns[column].values.intern(value);
    }
}

void add_ratings(const Kept& kept, const std::vector<KnownItem>& known, Records& records) {
  records.has_ratings = !known.empty() && std::ranges::all_of(known, [&](const KnownItem& one) {
    return kept[one.place].rating.has_value();
  });
  if (!records.has_ratings) return;
  for (const KnownItem& one : known)
    records.train.ratings.push_back(static_cast<float>(*kept[one.place].rating));
  const auto [lowest, highest] = std::ranges::minmax(records.train.ratings);
  records.scale = {lowest, highest};
}

std::shared_ptr<const Contexts> own_contexts(const TaskCatalogue& catalogue, const Records& records,
                                             std::size_t count, const Attributes& said) {
  if (catalogue.contexts == nullptr) return nullptr;
  auto contexts = std::make_shared<Contexts>(*catalogue.contexts);
  contexts->train = recorded_contexts(*catalogue.contexts, catalogue.schema, records, count);
  contexts->people.values = person_contexts(*catalogue.contexts, said);
  contexts->people.ends = {0, contexts->people.values.size()};
  return contexts;
}

}  // namespace

std::optional<ItemIndex> ItemNames::find(const std::string& name) const {
  const auto row = catalogue != nullptr ? catalogue->names.find(name) : item_number(name);
  if (!row || *row >= items) return std::nullopt;
  return ItemIndex{*row};
}

std::string ItemNames::name_of(ItemIndex item) const {
  return catalogue != nullptr ? std::string(catalogue->names.name(item.value)) : std::to_string(item.value);
}

std::string ItemNames::title_of(ItemIndex item) const {
  return catalogue != nullptr ? catalogue->title(item.value) : name_of(item);
}

OwnHistory own_history(const Kept& kept, const Attributes& said, const TaskCatalogue* catalogue,
                       const Task& task) {
  const std::vector<KnownItem> known = known_items(kept, {catalogue, task.items}, task);
  const std::vector<std::size_t> order = newest_first(kept);
  OwnHistory own;
  own.items.reserve(known.size());
  for (const KnownItem& one : known) own.items.push_back(one.row);
  if (!order.empty()) own.ages = ages_of(known, kept.size(), order);
  auto records = std::make_shared<Records>();
  add_ratings(kept, known, *records);
  add_times(kept, known, order, *records);
  add_columns(kept, known, *records);
  if (catalogue != nullptr) {
    if (catalogue->scale) records->scale = *catalogue->scale;
    own.known.features = catalogue->features;
    own.known.categories = catalogue->categories;
    own.known.contexts = own_contexts(*catalogue, *records, known.size(), said);
  }
  own.known.records = std::move(records);
  return own;
}

}  // namespace sotto::device
