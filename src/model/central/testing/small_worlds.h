// For tests: worlds of a few users and items, written by hand or drawn at random, and an executor that
// runs shards in an unusual order.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/executor.h"
#include "base/rng.h"
#include "data/histories.h"

namespace sotto::model {

using Rows = std::vector<std::vector<std::uint32_t>>;

inline Histories histories_of(const Rows& rows) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (auto row : rows) {
    std::sort(row.begin(), row.end());
    for (const std::uint32_t item : row) items.push_back(ItemIndex{item});
    offsets.push_back(items.size());
  }
  return Histories(std::move(offsets), std::move(items));
}

inline std::vector<ItemIndex> items_of(const std::vector<std::uint32_t>& values) {
  std::vector<ItemIndex> items;
  for (const std::uint32_t value : values) items.push_back(ItemIndex{value});
  return items;
}

// Each user has each item with the same chance; shrinks towards an empty world.
inline Rows random_rows(std::size_t users, std::uint32_t items, int percent) {
  Rows rows(users);
  for (auto& row : rows)
    for (std::uint32_t item = 0; item < items; ++item)
      if (*rc::gen::inRange(0, 100) < percent) row.push_back(item);
  return rows;
}

// `groups` tastes: users and items belong to one by index; nine of ten interactions stay within it.
inline Rows planted_rows(std::uint32_t users, std::uint32_t items, std::uint32_t groups,
                         std::uint32_t length) {
  Rows rows(users);
  for (std::uint32_t user = 0; user < users; ++user) {
    Stream stream(7, Purpose::generate_world, 0, user);
    while (rows[user].size() < length) {
      std::uint32_t item = stream.below(items);
      if (stream.chance(0.9)) item = item / groups * groups + user % groups;
      if (item < items && std::find(rows[user].begin(), rows[user].end(), item) == rows[user].end())
        rows[user].push_back(item);
    }
  }
  return rows;
}

// Says that it has several threads, and runs the last shard first.
class BackwardExecutor final : public Executor {
 public:
  explicit BackwardExecutor(std::size_t threads) : threads_(threads) {}
  [[nodiscard]] std::size_t threads() const override { return threads_; }
  void run(std::size_t shards, const std::function<void(std::size_t)>& work) override {
    for (std::size_t shard = shards; shard-- > 0;) work(shard);
  }

 private:
  std::size_t threads_;
};

}  // namespace sotto::model
