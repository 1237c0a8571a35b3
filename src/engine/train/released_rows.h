// ReleasedRows: the shared rows of a version that a coordinator released, and how they come to the places
// that a run's data has for items, features and values of contexts.
//
// Laws: things are the same by their names; what the task does not know has zeros, and what the data lack is
// left out. Where both have the same things in the same order, the rows are the version's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/executor.h"
#include "data/split.h"
#include "fed/models/task.h"
#include "fed/wire/catalogue.h"

namespace sotto::engine {

struct Parameters;
struct TrainRequest;

struct ReleasedRows {
  const Task& task;
  const RowMatrix& rows;               // of the task's shape, as devices hold them
  const TaskCatalogue& known;          // of its items: the names, at least
  std::vector<std::uint32_t> item_at;  // of each item of the data's catalogue its number in the task; no_row
};
inline constexpr std::uint32_t no_row = 0xFFFFFFFFu;

// The task's number of each item that the data have in their catalogue.
[[nodiscard]] std::vector<std::uint32_t> items_at(const TaskCatalogue& known, const Split& split);
// Of each feature of the data, and of each value of their contexts.
[[nodiscard]] std::vector<std::uint32_t> features_at(const TaskCatalogue& known,
                                                     const ItemFeatures& features);
[[nodiscard]] std::vector<std::uint32_t> values_at(const TaskCatalogue& known, const Contexts& contexts);

// Row `at[n]` of `from` as row n.
[[nodiscard]] RowMatrix placed(const RowMatrix& from, std::span<const std::uint32_t> at);

// A row an item, and people's rows as the model's fold-in learns them from the training part. For all whose
// entry says nothing else.
[[nodiscard]] Parameters items_and_people(const ReleasedRows& released, const TrainRequest& request,
                                          const Split& split, Executor& executor);

// `row(user)`, at most `width` long, for everybody who has a history to train on.
template <class RowOf>
[[nodiscard]] RowMatrix rows_of_people(const Split& split, std::size_t width, Executor& executor,
                                       const RowOf& row) {
  RowMatrix people(split.users.size(), width);
  const std::size_t shards = executor.threads();
  executor.run(shards, [&](std::size_t shard) {
    for (std::size_t user = shard; user < people.rows(); user += shards) {
      const UserIndex who{static_cast<std::uint32_t>(user)};
      if (split.train.of(who).empty()) continue;
      const RowMatrix own = row(who);
      std::ranges::copy(own.values(0), people.row(user));
    }
  });
  return people;
}

}  // namespace sotto::engine
