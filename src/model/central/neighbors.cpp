#include "model/central/neighbors.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/score_kernels.h"
#include "model/central/co_counts.h"

namespace sotto::model {

namespace {

// The product of a sparse matrix of ones with its transpose, a row at a time; of each row of the product
// only the nearest are kept. columns_of(row) and rows_of(column) are the matrix and its transpose.
template <class ColumnsOf, class RowsOf>
class RowProducts {
 public:
  // Of the columns `counted` are such that some row has them.
  RowProducts(std::size_t rows, std::size_t columns, std::size_t counted, const KnnOptions& options,
              const ColumnsOf& columns_of, const RowsOf& rows_of)
      : rows_(rows),
        counted_(counted),
        options_(options),
        columns_of_(columns_of),
        rows_of_(rows_of),
        common_(rows, columns, rows_of),
        short_lengths_((rows + tile - 1) / tile * tile, 0.0f) {
    for (std::uint32_t row = 0; row < rows; ++row)
      if (const std::size_t size = columns_of(row).size(); size > 0)
        short_lengths_[row] = 1.0f / std::sqrt(static_cast<float>(size));
  }

  // What a shard works with.
  struct Scratch {
    std::vector<std::uint32_t> counts;  // whole tiles, all 0 between rows
    std::vector<std::uint32_t> own;
    CommonCounts sparse;
    Nearest nearest;
  };
  [[nodiscard]] Scratch scratch() const {
    return {std::vector<std::uint32_t>(short_lengths_.size(), 0),
            {},
            CommonCounts(rows_),
            Nearest(options_.neighbors)};
  }

  [[nodiscard]] std::span<const Neighbor> nearest_to(std::uint32_t row, Scratch& scratch) const {
    scratch.nearest.clear();
    const auto columns = columns_of_(row);
    std::size_t work = 0;
    for (const auto column : columns) work += rows_of_(column.value).size();
    if (common_.any() || work > rows_) {
      nearest_dense(row, columns, scratch);
    } else {
      scratch.sparse.count(columns, [&](auto column) { return rows_of_(column.value); });
      scratch.sparse.drain([&](std::uint32_t other, std::uint32_t count) {
        if (static_cast<float>(count) * short_lengths_[other] > reach(row, scratch.nearest))
          offer(row, other, count, scratch.nearest);
      });
    }
    return scratch.nearest.finish();
  }

 private:
  static constexpr std::size_t tile = kernels::panel_items;

  void offer(std::uint32_t row, std::uint32_t other, std::uint32_t count, Nearest& nearest) const {
    if (other == row) return;
    const float alike =
        likeness({count, columns_of_(row).size(), columns_of_(other).size(), counted_}, options_);
    if (alike > 0.0f) nearest.offer(other, alike);
  }

  // What count · 1/√size of another row must pass to be worth the exact likeness, which it bounds: neither
  // Jaccard nor Pearson is ever above the cosine.
  [[nodiscard]] float reach(std::uint32_t row, const Nearest& nearest) const {
    constexpr float roundings = 1.0f - 1e-5f;
    return nearest.threshold() * roundings / short_lengths_[row];
  }

  template <class Columns>
  void nearest_dense(std::uint32_t row, const Columns& columns, Scratch& scratch) const {
    std::uint32_t* counts = scratch.counts.data();
    if (common_.any()) common_.count(row, rows_, scratch.own, counts);
    for (const auto column : columns)
      if (!common_.contains(column.value))
        for (const auto other : rows_of_(column.value)) ++counts[other.value];
    for (std::size_t begin = 0; begin < scratch.counts.size(); begin += tile) {
      float bounds[tile];
      for (std::size_t n = 0; n < tile; ++n)
        bounds[n] =
            static_cast<float>(static_cast<std::int32_t>(counts[begin + n])) * short_lengths_[begin + n];
      for (std::uint64_t lanes = kernels::lanes_above(bounds, reach(row, scratch.nearest)); lanes != 0;
           lanes &= lanes - 1) {
        const std::size_t other = begin + static_cast<std::size_t>(std::countr_zero(lanes));
        offer(row, static_cast<std::uint32_t>(other), counts[other], scratch.nearest);
      }
    }
    std::fill(scratch.counts.begin(), scratch.counts.end(), 0u);
  }

  std::size_t rows_;
  std::size_t counted_;
  const KnnOptions& options_;
  const ColumnsOf& columns_of_;
  const RowsOf& rows_of_;
  CommonColumns common_;
  std::vector<float> short_lengths_;  // 1/√size of each row
};

// Neighbours of all rows.
template <class ColumnsOf, class RowsOf>
NeighborLists nearest_rows(std::size_t rows, std::size_t columns, std::size_t counted,
                           const KnnOptions& options, Executor& executor, const ColumnsOf& columns_of,
                           const RowsOf& rows_of) {
  NeighborLists lists(rows, std::min<std::size_t>(options.neighbors, rows));
  const RowProducts products(rows, columns, counted, options, columns_of, rows_of);
  // Several shards a thread even out rows of unequal cost; each shard has counters of its own.
  const std::size_t shards = std::min(rows, executor.threads() * 8);
  executor.run(shards, [&](std::size_t shard) {
    auto scratch = products.scratch();
    for (std::size_t row = rows * shard / shards; row < rows * (shard + 1) / shards; ++row)
      lists.set(row, products.nearest_to(static_cast<std::uint32_t>(row), scratch));
  });
  return lists;
}

// People without items say nothing about how items vary together; a federation does not even hear of them.
std::size_t people_with_items(const Histories& histories) {
  std::size_t people = 0;
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    people += histories.of(UserIndex{user}).empty() ? 0 : 1;
  return people;
}

}  // namespace

Status check(const KnnOptions& options) {
  if (options.neighbors == 0)
    return fail(Code::usage, "the number of neighbours is 0: a nearest-neighbour model needs at least 1");
  if (!(options.shrink >= 0.0f) || !std::isfinite(options.shrink))
    return fail(Code::usage, "shrink must be a number that is 0 or larger");
  return Done{};
}

void NeighborLists::set(std::size_t row, std::span<const Neighbor> neighbors) {
  SOTTO_ASSERT(neighbors.size() <= k_, "a row keeps at most k neighbours");
  std::copy(neighbors.begin(), neighbors.end(), entries_.begin() + static_cast<std::ptrdiff_t>(row * k_));
  lengths_[row] = static_cast<std::uint32_t>(neighbors.size());
}

Result<Similarity> parse_similarity(const std::string& text) {
  if (text == "cosine") return Similarity::cosine;
  if (text == "jaccard") return Similarity::jaccard;
  if (text == "pearson") return Similarity::pearson;
  return fail(Code::usage, fmt::format("unknown similarity '{}': choose cosine, jaccard or pearson", text));
}

const char* to_string(Similarity similarity) {
  if (similarity == Similarity::jaccard) return "jaccard";
  return similarity == Similarity::pearson ? "pearson" : "cosine";
}

float likeness(const RowPair& pair, const KnnOptions& options) {
  const auto common = static_cast<double>(pair.common), columns = static_cast<double>(pair.columns);
  const auto a = static_cast<double>(pair.size_a), b = static_cast<double>(pair.size_b);
  const auto shrink = static_cast<double>(options.shrink);
  switch (options.similarity) {
    case Similarity::jaccard:
      return static_cast<float>(common / (a + b - common + shrink));
    case Similarity::pearson: {
      // Both sides times the number of columns; a row with all columns varies with nothing.
      const double spread = std::sqrt(a * (columns - a) * b * (columns - b));
      if (spread == 0.0) return 0.0f;
      return static_cast<float>((columns * common - a * b) / (spread + columns * shrink));
    }
    case Similarity::cosine:
      break;
  }
  // The root of the product, not the product of the roots: equal sizes then give exactly equal likeness.
  return static_cast<float>(common / (std::sqrt(a * b) + shrink));
}

NeighborLists nearest_items(const Histories& histories, const Audiences& audiences, const KnnOptions& options,
                            Executor& executor) {
  return nearest_rows(
      audiences.items(), histories.users(), people_with_items(histories), options, executor,
      [&](std::uint32_t item) { return audiences.of(ItemIndex{item}); },
      [&](std::uint32_t user) { return histories.of(UserIndex{user}); });
}

NeighborLists nearest_users(const Histories& histories, const Audiences& audiences, const KnnOptions& options,
                            Executor& executor) {
  return nearest_rows(
      histories.users(), audiences.items(), audiences.items(), options, executor,
      [&](std::uint32_t user) { return histories.of(UserIndex{user}); },
      [&](std::uint32_t item) { return audiences.of(ItemIndex{item}); });
}

std::vector<Neighbor> nearest_to_history(std::span<const ItemIndex> history, const Histories& histories,
                                         const Audiences& audiences, const KnnOptions& options) {
  CommonCounts common(histories.users());
  common.count(history, [&](ItemIndex item) { return audiences.of(item); });
  std::vector<Neighbor> found;
  common.drain([&](std::uint32_t user, std::uint32_t count) {
    const float alike =
        likeness({count, history.size(), histories.of(UserIndex{user}).size(), audiences.items()}, options);
    if (alike > 0.0f) found.push_back({user, alike});
  });
  keep_nearest(found, options.neighbors);
  return found;
}

void likeness_to_item(ItemIndex item, const Histories& histories, const Audiences& audiences,
                      const KnnOptions& options, std::span<float> out) {
  SOTTO_ASSERT(out.size() == audiences.items() && item.value < out.size(), "one place for each item");
  CommonCounts common(out.size());
  const auto users = audiences.of(item);
  const std::size_t people = people_with_items(histories);
  common.count(users, [&](UserIndex user) { return histories.of(user); });
  std::fill(out.begin(), out.end(), 0.0f);
  common.drain([&](std::uint32_t other, std::uint32_t count) {
    const std::size_t size = audiences.of(ItemIndex{other}).size();
    out[other] = likeness({count, users.size(), size, people}, options);
  });
}

}  // namespace sotto::model
