#include "model/central/neighbors.h"

#include <algorithm>
#include <cmath>

namespace sotto {

namespace {

// Counts what one row has in common with each other row, touching only rows that have something.
class CommonCounts {
 public:
  explicit CommonCounts(std::size_t rows) : counts_(rows, 0) {}

  // `columns` is the row; rows_of(column) says who else has the column.
  template <class Columns, class RowsOf>
  void count(const Columns& columns, const RowsOf& rows_of) {
    for (const auto column : columns)
      for (const auto row : rows_of(column))
        if (counts_[row.value]++ == 0) touched_.push_back(row.value);
  }
  // Hands each (row, count) over, and forgets it.
  template <class Take>
  void drain(const Take& take) {
    for (const std::uint32_t row : touched_) {
      take(row, counts_[row]);
      counts_[row] = 0;
    }
    touched_.clear();
  }

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> touched_;
};

void keep_nearest(std::vector<Neighbor>& found, std::size_t k) {
  const auto nearer = [](const Neighbor& a, const Neighbor& b) {
    return a.likeness > b.likeness || (a.likeness == b.likeness && a.index < b.index);
  };
  if (found.size() > k) {
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(k), found.end(), nearer);
    found.resize(k);
  }
  std::sort(found.begin(), found.end(), nearer);
}

// Neighbours of all rows. columns_of(row) and rows_of(column) are the matrix and its transpose.
template <class ColumnsOf, class RowsOf>
NeighborLists nearest_rows(std::size_t rows, const KnnOptions& options, Executor& executor,
                           const ColumnsOf& columns_of, const RowsOf& rows_of) {
  NeighborLists lists(rows, std::min<std::size_t>(options.neighbors, rows));
  // Several shards a thread even out rows of unequal cost; each shard has counters of its own.
  const std::size_t shards = std::min(rows, executor.threads() * 8);
  executor.run(shards, [&](std::size_t shard) {
    CommonCounts common(rows);
    std::vector<Neighbor> found;
    for (std::size_t row = rows * shard / shards; row < rows * (shard + 1) / shards; ++row) {
      const auto columns = columns_of(static_cast<std::uint32_t>(row));
      common.count(columns, rows_of);
      found.clear();
      common.drain([&](std::uint32_t other, std::uint32_t count) {
        if (other == row) return;
        found.push_back({other, cosine(count, columns.size(), columns_of(other).size(), options.shrink)});
      });
      keep_nearest(found, options.neighbors);
      lists.set(row, found);
    }
  });
  return lists;
}

}  // namespace

Status check(const KnnOptions& options) {
  if (options.neighbors == 0)
    return fail(Code::usage, "the number of neighbours is 0: a nearest-neighbour model needs at least 1");
  if (!(options.shrink >= 0.0f) || !std::isfinite(options.shrink))
    return fail(Code::usage, "shrink must be a number that is 0 or larger");
  return Done{};
}

Audiences::Audiences(const Histories& histories, std::size_t catalogue)
    : offsets_(catalogue + 1, 0), users_(histories.interactions()) {
  for (const ItemIndex item : histories.items()) ++offsets_[item.value + 1];
  for (std::size_t item = 0; item < catalogue; ++item) offsets_[item + 1] += offsets_[item];
  std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    for (const ItemIndex item : histories.of(UserIndex{user})) users_[next[item.value]++] = UserIndex{user};
}

void NeighborLists::set(std::size_t row, std::span<const Neighbor> neighbors) {
  SOTTO_ASSERT(neighbors.size() <= k_, "a row keeps at most k neighbours");
  std::copy(neighbors.begin(), neighbors.end(), entries_.begin() + static_cast<std::ptrdiff_t>(row * k_));
  lengths_[row] = static_cast<std::uint32_t>(neighbors.size());
}

float cosine(std::uint32_t common, std::size_t size_a, std::size_t size_b, float shrink) {
  // The root of the product, not the product of the roots: equal sizes then give exactly equal likeness.
  const double lengths = std::sqrt(static_cast<double>(size_a) * static_cast<double>(size_b));
  return static_cast<float>(static_cast<double>(common) / (lengths + static_cast<double>(shrink)));
}

NeighborLists nearest_items(const Histories& histories, const Audiences& audiences, const KnnOptions& options,
                            Executor& executor) {
  return nearest_rows(
      audiences.items(), options, executor, [&](std::uint32_t item) { return audiences.of(ItemIndex{item}); },
      [&](UserIndex user) { return histories.of(user); });
}

NeighborLists nearest_users(const Histories& histories, const Audiences& audiences, const KnnOptions& options,
                            Executor& executor) {
  return nearest_rows(
      histories.users(), options, executor, [&](std::uint32_t user) { return histories.of(UserIndex{user}); },
      [&](ItemIndex item) { return audiences.of(item); });
}

std::vector<Neighbor> nearest_to_history(std::span<const ItemIndex> history, const Histories& histories,
                                         const Audiences& audiences, const KnnOptions& options) {
  CommonCounts common(histories.users());
  common.count(history, [&](ItemIndex item) { return audiences.of(item); });
  std::vector<Neighbor> found;
  common.drain([&](std::uint32_t user, std::uint32_t count) {
    found.push_back(
        {user, cosine(count, history.size(), histories.of(UserIndex{user}).size(), options.shrink)});
  });
  keep_nearest(found, options.neighbors);
  return found;
}

void likeness_to_item(ItemIndex item, const Histories& histories, const Audiences& audiences, float shrink,
                      std::span<float> out) {
  SOTTO_ASSERT(out.size() == audiences.items() && item.value < out.size(), "one place for each item");
  CommonCounts common(out.size());
  const auto users = audiences.of(item);
  common.count(users, [&](UserIndex user) { return histories.of(user); });
  std::fill(out.begin(), out.end(), 0.0f);
  common.drain([&](std::uint32_t other, std::uint32_t count) {
    out[other] = cosine(count, users.size(), audiences.of(ItemIndex{other}).size(), shrink);
  });
}

}  // namespace sotto
