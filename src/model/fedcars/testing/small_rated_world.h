// A small world for tests of Fed-CARS: people who rate items on 1 to 5 at times, in contexts of all three
// sources; drawn from the seed alone.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "data/split.h"

namespace sotto::model {

struct SmallRatedShape {
  std::uint32_t users = 20, items = 30;
  std::uint32_t history = 8;  // records a person, at most; everybody has one at least
};

// Dimensions: "weather" (record, 3 values), "kind" (item, 4 values, up to 2 an item), "age" (person, 2).
// A rating is 3 ± taste for kinds ± the weather, so that there is something to learn.
inline Split small_rated_world(std::uint64_t seed, const SmallRatedShape& shape = {}) {
  Stream draws(seed, Purpose::generate_world, 88);
  Split split;
  for (std::uint32_t user = 0; user < shape.users; ++user) split.users.intern("u" + std::to_string(user));
  for (std::uint32_t item = 0; item < shape.items; ++item) split.items.intern("i" + std::to_string(item));
  split.catalogue = shape.items;
  Contexts contexts;
  contexts.dimensions = {{"weather", ContextSide::user, ContextSource::record, {"sun", "rain", "snow"}, 0},
                         {"kind", ContextSide::item, ContextSource::item, {"a", "b", "c", "d"}, 3},
                         {"age", ContextSide::user, ContextSource::person, {"young", "old"}, 7}};
  contexts.train.width = contexts.test.width = contexts.validation.width = 1;
  for (std::uint32_t item = 0; item < shape.items; ++item) {
    contexts.items.values.push_back(3 + item % 3);
    if (item % 2 == 0) contexts.items.values.push_back(6);
    contexts.items.ends.push_back(contexts.items.values.size());
  }
  Records records;
  records.has_ratings = true;
  records.time_kind = TimeKind::unix_seconds;
  std::vector<std::uint64_t> train_offsets{0}, test_offsets{0};
  std::vector<ItemIndex> train_items, test_items;
  for (std::uint32_t user = 0; user < shape.users; ++user) {
    contexts.people.values.push_back(7 + user % 2);
    contexts.people.ends.push_back(contexts.people.values.size());
    std::vector<ItemIndex> items;
    const std::uint32_t count = 1 + draws.below(shape.history);
    while (items.size() < count) {
      const ItemIndex item{draws.below(shape.items)};
      if (std::ranges::find(items, item) == items.end()) items.push_back(item);
    }
    std::ranges::sort(items);
    for (const ItemIndex item : items) {
      const bool held_out = items.size() > 2 && item == items[user % items.size()];
      const std::uint32_t weather = draws.below(3);
      const float taste = (item.value % 3 == user % 3 ? 1.0f : -0.5f) + (weather == 0 ? 0.5f : -0.25f);
      const float rating = std::clamp(3.0f + taste + 0.2f * static_cast<float>(draws.normal()), 1.0f, 5.0f);
      PartRecords& part = held_out ? records.test : records.train;
      part.ratings.push_back(rating);
      part.times.push_back(1'000'000'000 + draws.below(10'000'000));
      part.previous.push_back(no_time);  // nobody asks here
      (held_out ? contexts.test : contexts.train).values.push_back(weather);
      (held_out ? test_items : train_items).push_back(item);
    }
    train_offsets.push_back(train_items.size());
    test_offsets.push_back(test_items.size());
  }
  std::vector<std::uint16_t> ages(train_items.size(), 0);
  for (std::size_t user = 0; user < shape.users; ++user)
    for (std::uint64_t at = train_offsets[user]; at < train_offsets[user + 1]; ++at)
      for (std::uint64_t other = train_offsets[user]; other < train_offsets[user + 1]; ++other)
        if (std::pair(records.train.times[other], other) > std::pair(records.train.times[at], at)) ++ages[at];
  split.train = Histories(std::move(train_offsets), std::move(train_items), std::move(ages));
  split.test = Histories(std::move(test_offsets), std::move(test_items));
  split.validation = Histories(shape.users);
  split.records = std::make_shared<const Records>(std::move(records));
  split.contexts = std::make_shared<const Contexts>(std::move(contexts));
  return split;
}

}  // namespace sotto::model
