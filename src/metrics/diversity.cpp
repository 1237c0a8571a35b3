#include "metrics/diversity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto::metrics {

namespace {

// 1 − Σ (2j − n − 1)·c_j / ((n − 1)·Σ c), with c ascending. One item, or no recommendation at all,
// cannot be unequal.
double one_minus_gini(std::vector<std::uint64_t> counts) {
  std::sort(counts.begin(), counts.end());
  const auto n = static_cast<double>(counts.size());
  double weighted = 0.0;
  double total = 0.0;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const auto count = static_cast<double>(counts[j]);
    weighted += (2.0 * static_cast<double>(j + 1) - n - 1.0) * count;
    total += count;
  }
  if (counts.size() < 2 || total == 0.0) return 1.0;
  return 1.0 - weighted / ((n - 1.0) * total);
}

}  // namespace

std::vector<std::uint64_t> recommendation_counts(const TopLists& lists, std::size_t cutoff,
                                                 std::size_t catalogue) {
  std::vector<std::uint64_t> counts(catalogue, 0);
  for (std::size_t row = 0; row < lists.users.size(); ++row)
    for (const ItemIndex item : lists.of(row, cutoff)) ++counts[item.value];
  return counts;
}

std::uint64_t item_coverage(std::span<const std::uint64_t> counts) {
  return static_cast<std::uint64_t>(
      std::count_if(counts.begin(), counts.end(), [](std::uint64_t count) { return count > 0; }));
}

double gini(std::span<const std::uint64_t> counts) { return one_minus_gini({counts.begin(), counts.end()}); }

double gini_recommended(std::span<const std::uint64_t> counts) {
  std::vector<std::uint64_t> recommended;
  for (const std::uint64_t count : counts)
    if (count > 0) recommended.push_back(count);
  return one_minus_gini(std::move(recommended));
}

double shannon_entropy(std::span<const std::uint64_t> counts) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  double entropy = 0.0;
  for (const std::uint64_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / total;
    entropy -= share * std::log2(share);
  }
  return entropy;
}

}  // namespace sotto::metrics
