#include "lab/reproduce/averaging_print.h"

#include <limits>

namespace sotto {

namespace {

constexpr double lost = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<double, 9> lost_row{lost, lost, lost, lost, lost, lost, lost, lost, lost};

constexpr std::array<std::string_view, 9> digit_settings{
    "DS", "LD", "MW", "DS>LD>MW", "DS>MW>LD", "LD>DS>MW", "MW>DS>LD", "LD>MW>DS", "MW>LD>DS"};
constexpr std::array<std::string_view, 9> face_settings{
    "DS", "IS", "CB", "DS>IS>CB", "DS>CB>IS", "IS>DS>CB", "CB>DS>IS", "IS>CB>DS", "CB>IS>DS"};
constexpr std::array<std::uint32_t, 4> digit_targets{70, 80, 90, 95};
constexpr std::array<std::uint32_t, 3> face_targets{70, 80, 85};

struct PrintedRow {
  std::string_view dataset;
  std::string_view setting;
  std::uint32_t accuracy;
  std::array<double, 9> shares;
  double average;
};

// Of table 5.1 the copies keep the baseline and most averages; of table 5.5 the baseline and all averages.
constexpr std::array baseline_rows{
    PrintedRow{mnist_iid, "DS", 70, {1, 1, 1, 1, 1, 4, 4, 4, 5}, lost},
    PrintedRow{mnist_iid, "DS", 80, {1, 2, 5, 5, 5, 5, 5, 5, 5}, lost},
    PrintedRow{mnist_iid, "DS", 90, {5, 5, 5, 5, 7, 7, 10, 11, 14}, lost},
    PrintedRow{mnist_iid, "DS", 95, {lost, lost, 10, 11, 16, 21, 24, 38, 56}, lost},
    PrintedRow{mnist_shards, "DS", 70, {9, 9, 9, 10, 10, 10, 10, 10, 10}, lost},
    PrintedRow{mnist_shards, "DS", 80, {10, 10, 10, 10, 10, 10, 16, 20, 20}, lost},
    PrintedRow{mnist_shards, "DS", 90, {10, 16, 20, 20, 23, 33, 35, 44, 69}, lost},
    PrintedRow{mnist_shards, "DS", 95, {20, 23, 34, 49, 66, 84, 106, 137, 222}, lost},
    PrintedRow{celeba_people, "DS", 70, {1, 1, 1, 13, 15, 21, 32, 58, lost}, lost},
    PrintedRow{celeba_people, "DS", 80, {1, 1, 15, 21, 26, 44, lost, lost, lost}, lost},
    PrintedRow{celeba_people, "DS", 85, {1, 15, 21, 29, 50, lost, lost, lost, lost}, lost},
};

constexpr std::array shard_gains{
    PrintedRow{mnist_shards, "LD", 70, {3, 1, 1, 2, 2, 2, 2, 2, -1}, 1.56},
    PrintedRow{mnist_shards, "LD", 80, {2, 2, 2, -1, -3, -3, 3, 7, 2}, 1.22},
    PrintedRow{mnist_shards, "LD", 90, {-1, 3, 2, 2, -2, 2, -4, -5, 8}, .56},
    PrintedRow{mnist_shards, "LD", 95, {2, -2, -7, -3, 3, -5, -1, -11, -23}, -5.22},
    PrintedRow{mnist_shards, "MW", 70, {4, 4, 4, 5, 0, 0, 0, 0, 0}, 1.89},
    PrintedRow{mnist_shards, "MW", 80, {0, 0, 0, 0, -6, -6, 0, 1, 1}, -1.11},
    PrintedRow{mnist_shards, "MW", 90, {-9, -3, 1, -7, -15, -8, -11, -13, -2}, -7.44},
    PrintedRow{mnist_shards, "MW", 95, {1, -15, -7, -13, -10, -15, -23, -11, -14}, -11.89},
    PrintedRow{mnist_shards, "DS>LD>MW", 70, {2, 2, 2, 2, 2, 2, 2, 1, -2}, 1.44},
    PrintedRow{mnist_shards, "DS>LD>MW", 80, {2, 1, 1, 1, -3, -3, 1, 5, 5}, 1.11},
    PrintedRow{mnist_shards, "DS>LD>MW", 90, {-3, 1, 5, 3, 4, 5, -4, 1, 4}, 1.78},
    PrintedRow{mnist_shards, "DS>LD>MW", 95, {5, -3, -5, 0, -11, -13, -5, -19, -11}, -6.89},
    PrintedRow{mnist_shards, "DS>MW>LD", 70, {0, 0, 0, 0, 0, 0, 0, 0, -4}, -.44},
    PrintedRow{mnist_shards, "DS>MW>LD", 80, {1, 0, 0, -4, -7, -7, -1, 3, 2}, -1.44},
    PrintedRow{mnist_shards, "DS>MW>LD", 90, {-7, -1, 2, -5, -7, -6, -9, -12, 9}, -4.00},
    PrintedRow{mnist_shards, "DS>MW>LD", 95, {2, -7, -5, -5, -14, -14, -6, -16, 12}, -5.89},
    PrintedRow{mnist_shards, "LD>DS>MW", 70, {2, 2, 1, 2, 2, 2, 2, 2, 2}, 1.89},
    PrintedRow{mnist_shards, "LD>DS>MW", 80, {2, 2, 2, -1, -1, -1, 5, 6, 5}, 2.11},
    PrintedRow{mnist_shards, "LD>DS>MW", 90, {2, 5, 5, -1, -6, 0, -3, -4, 1}, -.11},
    PrintedRow{mnist_shards, "LD>DS>MW", 95, {5, -6, 1, -2, -4, 1, 12, -2, 3}, .89},
    PrintedRow{mnist_shards, "MW>DS>LD", 70, {1, 0, 0, 0, 0, 0, 0, -1, -1}, -.11},
    PrintedRow{mnist_shards, "MW>DS>LD", 80, {0, 0, -1, -1, -1, -1, 2, 2, 2}, .22},
    PrintedRow{mnist_shards, "MW>DS>LD", 90, {-1, 5, 2, -3, -2, 3, -4, -4, 9}, .56},
    PrintedRow{mnist_shards, "MW>DS>LD", 95, {2, 0, 3, 0, 4, 0, 2, 10, -6}, 1.67},
    PrintedRow{mnist_shards, "LD>MW>DS", 70, {0, 0, 0, 1, 1, -2, -2, -2, -2}, -.67},
    PrintedRow{mnist_shards, "LD>MW>DS", 80, {1, -2, -2, -2, -3, -5, 1, 0, 0}, -1.33},
    PrintedRow{mnist_shards, "LD>MW>DS", 90, {-3, -4, 0, -4, -3, 1, -1, -4, -1}, -2.11},
    PrintedRow{mnist_shards, "LD>MW>DS", 95, {0, -1, -1, -10, -3, -2, -5, 5, -6}, -2.56},
    PrintedRow{mnist_shards, "MW>LD>DS", 70, lost_row, .2},
    PrintedRow{mnist_shards, "MW>LD>DS", 80, lost_row, -.56},
    PrintedRow{mnist_shards, "MW>LD>DS", 90, {-3, 0, 3, 1, -1, 4, 3, 7, 14}, 3.11},
    PrintedRow{mnist_shards, "MW>LD>DS", 95, {4, 3, 2, 1, 0, 9, -9, -5, 37}, 4.67},
};

// Averages alone, one an accuracy.
struct PrintedAverages {
  std::string_view dataset;
  std::string_view setting;
  std::array<double, 4> averages;
};

constexpr std::array gain_averages{
    PrintedAverages{mnist_iid, "LD", {-.11, -.33, -.11, -.56}},
    PrintedAverages{mnist_iid, "MW", {.33, -.11, -.22, -.89}},
    PrintedAverages{mnist_iid, "DS>LD>MW", {-.78, -.56, 0.0, -1.33}},
    PrintedAverages{mnist_iid, "DS>MW>LD", {.11, .22, 0.0, -1.33}},
    PrintedAverages{mnist_iid, "LD>DS>MW", {.33, -.11, lost, -1.22}},
    PrintedAverages{mnist_iid, "MW>DS>LD", {-.56, -.11, lost, lost}},
    PrintedAverages{mnist_iid, "LD>MW>DS", {1.11, 1.22, 1.11, -2.22}},
    PrintedAverages{mnist_iid, "MW>LD>DS", {.44, -.11, lost, -1.78}},
    PrintedAverages{celeba_people, "IS", {-12.75, -9.67, -9.20, lost}},
    PrintedAverages{celeba_people, "CB", {8.62, 11.50, 13.00, lost}},
    PrintedAverages{celeba_people, "DS>IS>CB", {-5.75, -5.67, -7.00, lost}},
    PrintedAverages{celeba_people, "DS>CB>IS", {11.50, 16.86, 15.00, lost}},
    PrintedAverages{celeba_people, "IS>DS>CB", {-2.25, -6.50, -6.00, lost}},
    PrintedAverages{celeba_people, "CB>DS>IS", {8.00, 10.17, 14.00, lost}},
    PrintedAverages{celeba_people, "IS>CB>DS", {-10.38, -9.83, -12.80, lost}},
    PrintedAverages{celeba_people, "CB>IS>DS", {-9.50, -7.33, -11.20, lost}},
};

struct PrintedMatrix {
  std::string_view dataset;
  std::string_view setting;
  Confusion counts;
};

constexpr std::array printed_matrices{
    PrintedMatrix{mnist_iid, "LD", {0, 98, 106, 9796}},
    PrintedMatrix{mnist_iid, "MW", {0, 98, 107, 9795}},
    PrintedMatrix{mnist_iid, "DS>LD>MW", {2, 96, 106, 9796}},
    PrintedMatrix{mnist_iid, "DS>MW>LD", {0, 98, 128, 9774}},
    PrintedMatrix{mnist_iid, "LD>DS>MW", {2, 96, 118, 9784}},
    PrintedMatrix{mnist_iid, "MW>DS>LD", {0, 98, 140, 9762}},
    PrintedMatrix{mnist_iid, "LD>MW>DS", {4, 94, 107, 9795}},
    PrintedMatrix{mnist_iid, "MW>LD>DS", {0, 98, 122, 9780}},
    PrintedMatrix{mnist_shards, "LD", {1, 130, 146, 9723}},
    PrintedMatrix{mnist_shards, "MW", {2, 129, 142, 9727}},
    PrintedMatrix{mnist_shards, "DS>LD>MW", {1, 130, 119, 9750}},
    PrintedMatrix{mnist_shards, "DS>MW>LD", {2, 129, 127, 9742}},
    PrintedMatrix{mnist_shards, "LD>DS>MW", {1, 130, 103, 9766}},
    PrintedMatrix{mnist_shards, "MW>DS>LD", {0, 131, 104, 9765}},
    PrintedMatrix{mnist_shards, "LD>MW>DS", {2, 129, 124, 9745}},
    PrintedMatrix{mnist_shards, "MW>LD>DS", {0, 131, 119, 9750}},
    PrintedMatrix{celeba_people, "IS", {312, 2081, 2080, 14846}},
    PrintedMatrix{celeba_people, "CB", {610, 1783, 3197, 13729}},
    PrintedMatrix{celeba_people, "DS>IS>CB", {275, 2118, 1923, 15003}},
    PrintedMatrix{celeba_people, "DS>CB>IS", {296, 2097, 2056, 14870}},
    PrintedMatrix{celeba_people, "IS>DS>CB", {331, 2062, 2121, 14805}},
    PrintedMatrix{celeba_people, "CB>DS>IS", {618, 1775, 3197, 13729}},
    PrintedMatrix{celeba_people, "IS>CB>DS", {416, 1977, 2473, 14453}},
    PrintedMatrix{celeba_people, "CB>IS>DS", {612, 1781, 3247, 13679}},
};

}  // namespace

std::span<const std::string_view> averaging_settings(std::string_view dataset) {
  return dataset == celeba_people ? face_settings : digit_settings;
}

std::span<const std::uint32_t> printed_targets(std::string_view dataset) {
  if (dataset == celeba_people) return face_targets;
  return digit_targets;
}

std::optional<PrintedRounds> printed_rounds(std::string_view dataset, std::string_view setting,
                                            std::uint32_t accuracy) {
  const auto is_it = [&](const PrintedRow& row) {
    return row.dataset == dataset && row.setting == setting && row.accuracy == accuracy;
  };
  for (const PrintedRow& row : baseline_rows)
    if (is_it(row)) return PrintedRounds{row.shares, row.average};
  for (const PrintedRow& row : shard_gains)
    if (is_it(row)) return PrintedRounds{row.shares, row.average};
  const std::span<const std::uint32_t> targets = printed_targets(dataset);
  for (const PrintedAverages& row : gain_averages)
    for (std::size_t n = 0; n < targets.size(); ++n)
      if (row.dataset == dataset && row.setting == setting && targets[n] == accuracy)
        return PrintedRounds{lost_row, row.averages[n]};
  return std::nullopt;
}

std::optional<Confusion> printed_confusion(std::string_view dataset, std::string_view setting) {
  for (const PrintedMatrix& matrix : printed_matrices)
    if (matrix.dataset == dataset && matrix.setting == setting) return matrix.counts;
  return std::nullopt;
}

}  // namespace sotto
