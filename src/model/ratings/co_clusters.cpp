#include "model/ratings/co_clusters.h"

#include <algorithm>
#include <numeric>

#include "base/math.h"
#include "base/rng.h"

namespace sotto::model {

namespace {

double bits_of(double share) { return share > 0.0 ? -share * log_f64(share) / log_f64(2.0) : 0.0; }

double block_cost(double rows, double columns, double ones) {
  const double cells = rows * columns;
  // A count of ones takes about log2 of the cells.
  return cells * (bits_of(ones / cells) + bits_of(1.0 - ones / cells)) + log_f64(cells + 1.0) / log_f64(2.0);
}

// The means of the rows of each cluster; an empty cluster keeps its centre.
void move_centers(const ClusterTask& task, const ColumnsOf& columns_of,
                  std::span<const std::uint32_t> cluster_of, std::vector<std::vector<double>>& centers) {
  std::vector<double> sizes(centers.size(), 0.0);
  for (const std::uint32_t cluster : cluster_of) sizes[cluster] += 1.0;
  for (std::size_t cluster = 0; cluster < centers.size(); ++cluster)
    if (sizes[cluster] > 0.0) std::ranges::fill(centers[cluster], 0.0);
  for (std::size_t row = 0; row < task.rows; ++row)
    for (const std::uint32_t column : columns_of(row))
      centers[cluster_of[row]][column] += 1.0 / sizes[cluster_of[row]];
}

// 0, 1, … in the order of first appearance.
void close_gaps(std::vector<std::uint32_t>& clusters, std::size_t count) {
  std::vector<std::uint32_t> names(count, 0xFFFFFFFFu);
  std::uint32_t next = 0;
  for (std::uint32_t& cluster : clusters) {
    if (names[cluster] == 0xFFFFFFFFu) names[cluster] = next++;
    cluster = names[cluster];
  }
}

Blocks transposed(const Blocks& blocks) {
  Blocks result{blocks.columns, blocks.rows, {}};
  for (std::size_t column = 0; column < blocks.columns.size(); ++column)
    for (std::size_t row = 0; row < blocks.rows.size(); ++row) result.ones.push_back(blocks.at(row, column));
  return result;
}

struct Merge {
  std::size_t kept = 0, gone = 0;
  double saved = 0.0;
};

// Of all pairs of row clusters the one whose merge saves most.
Merge best_merge(const Blocks& blocks) {
  Merge best;
  for (std::size_t a = 0; a < blocks.rows.size(); ++a)
    for (std::size_t b = a + 1; b < blocks.rows.size(); ++b) {
      double saved = 0.0;
      for (std::size_t column = 0; column < blocks.columns.size(); ++column) {
        const double width = blocks.columns[column];
        saved +=
            block_cost(blocks.rows[a], width, blocks.at(a, column)) +
            block_cost(blocks.rows[b], width, blocks.at(b, column)) -
            block_cost(blocks.rows[a] + blocks.rows[b], width, blocks.at(a, column) + blocks.at(b, column));
      }
      if (saved > best.saved) best = {a, b, saved};
    }
  return best;
}

void merge_rows(Blocks& blocks, const Merge& merge, std::vector<std::uint32_t>& names) {
  const std::size_t width = blocks.columns.size();
  for (std::size_t column = 0; column < width; ++column)
    blocks.ones[merge.kept * width + column] += blocks.at(merge.gone, column);
  const auto gone = static_cast<std::ptrdiff_t>(merge.gone * width);
  blocks.ones.erase(blocks.ones.begin() + gone,
                    blocks.ones.begin() + gone + static_cast<std::ptrdiff_t>(width));
  blocks.rows[merge.kept] += blocks.rows[merge.gone];
  blocks.rows.erase(blocks.rows.begin() + static_cast<std::ptrdiff_t>(merge.gone));
  for (std::uint32_t& name : names) {
    if (name == merge.gone) name = static_cast<std::uint32_t>(merge.kept);
    if (name > merge.gone) --name;
  }
}

}  // namespace

void Centers::measure() {
  squares.assign(rows.size(), 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (const double value : rows[k]) squares[k] += value * value;
}

std::uint32_t nearest_center(std::span<const std::uint32_t> row, const Centers& centers) {
  std::uint32_t best = 0;
  double least = 0.0;
  for (std::size_t k = 0; k < centers.rows.size(); ++k) {
    double distance = centers.squares[k];  // |x − c|² − |x|² = |c|² − 2x·c
    for (const std::uint32_t column : row) distance -= 2.0 * centers.rows[k][column];
    if (k == 0 || distance < least) {
      best = static_cast<std::uint32_t>(k);
      least = distance;
    }
  }
  return best;
}

std::vector<std::uint32_t> cluster_rows(const ClusterTask& task, const ColumnsOf& columns_of) {
  const std::size_t count = std::min<std::size_t>(task.clusters, task.rows);
  std::vector<std::uint32_t> order(task.rows);
  std::iota(order.begin(), order.end(), 0u);
  Stream draws(task.seed, Purpose::rating_clusters, task.side);
  Centers centers{std::vector<std::vector<double>>(count, std::vector<double>(task.columns, 0.0))};
  for (std::size_t k = 0; k < count; ++k) {
    std::swap(order[k], order[k + draws.below(static_cast<std::uint32_t>(task.rows - k))]);
    for (const std::uint32_t column : columns_of(order[k])) centers.rows[k][column] = 1.0;
  }
  std::vector<std::uint32_t> clusters(task.rows, 0);
  for (std::uint32_t pass = 0; pass < std::max(task.passes, 1u); ++pass) {
    centers.measure();
    std::vector<std::uint32_t> now;
    for (std::size_t row = 0; row < task.rows; ++row) now.push_back(nearest_center(columns_of(row), centers));
    const bool settled = pass > 0 && now == clusters;
    clusters = std::move(now);
    if (settled) break;
    move_centers(task, columns_of, clusters, centers.rows);
  }
  close_gaps(clusters, count);
  return clusters;
}

double Blocks::cost() const {
  double sum = 0.0;
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < columns.size(); ++column)
      sum += block_cost(rows[row], columns[column], at(row, column));
  return sum;
}

Merged merge_clusters(Blocks blocks) {
  Merged merged;
  merged.rows.resize(blocks.rows.size());
  merged.columns.resize(blocks.columns.size());
  std::iota(merged.rows.begin(), merged.rows.end(), 0u);
  std::iota(merged.columns.begin(), merged.columns.end(), 0u);
  while (true) {
    const Merge of_rows = best_merge(blocks);
    Blocks turned = transposed(blocks);
    const Merge of_columns = best_merge(turned);
    if (of_rows.saved <= 0.0 && of_columns.saved <= 0.0) break;
    if (of_rows.saved >= of_columns.saved) {
      merge_rows(blocks, of_rows, merged.rows);
    } else {
      merge_rows(turned, of_columns, merged.columns);
      blocks = transposed(turned);
    }
  }
  merged.blocks = std::move(blocks);
  return merged;
}

}  // namespace sotto::model
