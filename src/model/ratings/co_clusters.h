// The two steps of model/ratings/paco.h: k-means of sparse binary rows, and the merging of clusters.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/layers.h"

namespace sotto::model {

// The columns of each row, ascending.
using ColumnsOf = std::function<std::span<const std::uint32_t>(std::size_t row)>;

struct ClusterTask {
  std::size_t rows = 0, columns = 0;
  std::uint32_t clusters = 0;
  std::uint32_t passes = 0;
  std::uint64_t seed = 0;
  std::uint32_t side = 0;  // tells the draws of the two sides apart
};

struct Centers {
  std::vector<std::vector<double>> rows;
  std::vector<double> squares = {};  // of each: its squared length

  void measure();  // fills in the squares
};
// Index of the centre with the least squared distance to a binary row; the smaller one of two alike.
[[nodiscard]] std::uint32_t nearest_center(std::span<const std::uint32_t> row, const Centers& centers);

// The cluster of each row, numbered from 0 without gaps. The first centres are distinct rows.
[[nodiscard]] std::vector<std::uint32_t> cluster_rows(const ClusterTask& task, const ColumnsOf& columns_of);

// Sizes of the clusters of both sides, and how many ones lie in each block.
struct Blocks {
  std::vector<double> rows, columns;
  std::vector<double> ones;  // rows × columns

  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return ones[row * columns.size() + column];
  }
  // Bits to write the matrix down: of each block its cells times the entropy of its density, and its density.
  [[nodiscard]] double cost() const;
};

struct Merged {
  Blocks blocks;
  std::vector<std::uint32_t> rows, columns;  // what each cluster became
};
// Merges clusters, the pair that saves most first, until nothing saves.
[[nodiscard]] Merged merge_clusters(Blocks blocks);

}  // namespace sotto::model
