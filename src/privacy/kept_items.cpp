#include "privacy/kept_items.h"

#include <algorithm>
#include <numeric>

namespace sotto::privacy {

KeptItems::KeptItems(std::vector<std::uint32_t> items, std::size_t catalogue)
    : items_(std::move(items)), places_(catalogue, nowhere) {
  for (std::uint32_t n = 0; n < items_.size(); ++n) places_[items_[n]] = n;
}

KeptItems KeptItems::most_popular(std::span<const std::int64_t> sums, std::size_t most) {
  std::vector<std::uint32_t> items(sums.size());
  std::iota(items.begin(), items.end(), 0u);
  std::ranges::stable_sort(items, [&](std::uint32_t a, std::uint32_t b) { return sums[a] > sums[b]; });
  items.resize(std::min(items.size(), most));
  std::ranges::sort(items);
  return {std::move(items), sums.size()};
}

}  // namespace sotto::privacy
