#include "model/central/neighbors.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/bit_kernels.h"
#include "base/score_kernels.h"

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

bool nearer(const Neighbor& a, const Neighbor& b) {
  return a.likeness > b.likeness || (a.likeness == b.likeness && a.index < b.index);
}

// The k nearest, in no order; the last one is the farthest.
void cut_to_nearest(std::vector<Neighbor>& found, std::size_t k) {
  if (found.size() <= k) return;
  std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(k) - 1, found.end(), nearer);
  found.resize(k);
}

void keep_nearest(std::vector<Neighbor>& found, std::size_t k) {
  cut_to_nearest(found, k);
  std::sort(found.begin(), found.end(), nearer);
}

// The columns that many rows have, as bits: comparing all rows' bits costs less there than going through
// the column's rows for each of them.
class CommonColumns {
 public:
  template <class RowsOf>
  CommonColumns(std::size_t rows, std::size_t columns, const RowsOf& rows_of)
      : tiles_((rows + kernels::bit_rows - 1) / kernels::bit_rows), is_common_(columns, 0) {
    std::vector<std::uint32_t> common;
    for (std::uint32_t column = 0; column < columns; ++column)
      if (rows_of(column).size() >= std::max(fewest_rows, rows / rows_a_common)) common.push_back(column);
    words_ = (common.size() + 31) / 32;
    bits_.assign(tiles_ * words_ * kernels::bit_rows, 0);
    for (std::size_t n = 0; n < common.size(); ++n) {
      is_common_[common[n]] = 1;
      for (const auto row : rows_of(common[n])) bits_[at(row.value, n / 32)] |= std::uint32_t{1} << n % 32;
    }
  }

  [[nodiscard]] bool any() const { return words_ > 0; }
  [[nodiscard]] bool contains(std::uint32_t column) const { return is_common_[column] != 0; }
  // How many of these columns each row shares with `row`, added to `counts`.
  void count(std::size_t row, std::vector<std::uint32_t>& own, std::uint32_t* counts) const {
    own.resize(words_);
    for (std::size_t w = 0; w < words_; ++w) own[w] = bits_[at(row, w)];
    kernels::add_common_ones(bits_.data(), tiles_, own.data(), words_, counts);
  }

 private:
  static constexpr std::size_t rows_a_common = 16;  // a column of rows/16 or more is common: measured
  static constexpr std::size_t fewest_rows = 32;
  [[nodiscard]] std::size_t at(std::size_t row, std::size_t word) const {
    return (row / kernels::bit_rows * words_ + word) * kernels::bit_rows + row % kernels::bit_rows;
  }

  std::size_t tiles_;
  std::size_t words_ = 0;
  std::vector<std::uint8_t> is_common_;
  std::vector<std::uint32_t> bits_;
};

// The nearest of one row among those offered.
class Nearest {
 public:
  explicit Nearest(std::size_t k) : k_(k) {}
  // Likeness that a row must reach.
  [[nodiscard]] float threshold() const { return threshold_; }
  void offer(std::uint32_t index, float likeness) {
    if (likeness < threshold_) return;
    found_.push_back({index, likeness});
    if (found_.size() < 4 * k_) return;
    cut_to_nearest(found_, k_);
    threshold_ = found_.back().likeness;
  }
  [[nodiscard]] std::span<const Neighbor> finish() {
    keep_nearest(found_, k_);
    return found_;
  }
  void clear() {
    found_.clear();
    threshold_ = 0.0f;
  }

 private:
  std::size_t k_;
  float threshold_ = 0.0f;
  std::vector<Neighbor> found_;
};

// The product of a sparse matrix of ones with its transpose, a row at a time; of each row of the product
// only the nearest are kept. columns_of(row) and rows_of(column) are the matrix and its transpose.
template <class ColumnsOf, class RowsOf>
class RowProducts {
 public:
  RowProducts(std::size_t rows, std::size_t columns, const KnnOptions& options, const ColumnsOf& columns_of,
              const RowsOf& rows_of)
      : rows_(rows),
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
    nearest.offer(other, cosine(count, columns_of_(row).size(), columns_of_(other).size(), options_.shrink));
  }

  // What count · 1/√size of another row must pass to be worth the exact likeness, which it bounds.
  [[nodiscard]] float reach(std::uint32_t row, const Nearest& nearest) const {
    constexpr float roundings = 1.0f - 1e-5f;
    return nearest.threshold() * roundings / short_lengths_[row];
  }

  template <class Columns>
  void nearest_dense(std::uint32_t row, const Columns& columns, Scratch& scratch) const {
    std::uint32_t* counts = scratch.counts.data();
    if (common_.any()) common_.count(row, scratch.own, counts);
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
  const KnnOptions& options_;
  const ColumnsOf& columns_of_;
  const RowsOf& rows_of_;
  CommonColumns common_;
  std::vector<float> short_lengths_;  // 1/√size of each row
};

// Neighbours of all rows.
template <class ColumnsOf, class RowsOf>
NeighborLists nearest_rows(std::size_t rows, std::size_t columns, const KnnOptions& options,
                           Executor& executor, const ColumnsOf& columns_of, const RowsOf& rows_of) {
  NeighborLists lists(rows, std::min<std::size_t>(options.neighbors, rows));
  const RowProducts products(rows, columns, options, columns_of, rows_of);
  // Several shards a thread even out rows of unequal cost; each shard has counters of its own.
  const std::size_t shards = std::min(rows, executor.threads() * 8);
  executor.run(shards, [&](std::size_t shard) {
    auto scratch = products.scratch();
    for (std::size_t row = rows * shard / shards; row < rows * (shard + 1) / shards; ++row)
      lists.set(row, products.nearest_to(static_cast<std::uint32_t>(row), scratch));
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
      audiences.items(), histories.users(), options, executor,
      [&](std::uint32_t item) { return audiences.of(ItemIndex{item}); },
      [&](std::uint32_t user) { return histories.of(UserIndex{user}); });
}

NeighborLists nearest_users(const Histories& histories, const Audiences& audiences, const KnnOptions& options,
                            Executor& executor) {
  return nearest_rows(
      histories.users(), audiences.items(), options, executor,
      [&](std::uint32_t user) { return histories.of(UserIndex{user}); },
      [&](std::uint32_t item) { return audiences.of(ItemIndex{item}); });
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
