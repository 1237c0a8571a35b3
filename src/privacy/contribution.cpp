#include "privacy/contribution.h"

#include <algorithm>
#include <numeric>

namespace sotto::privacy {

namespace {

// Adds `more` to `sum` unless one entry would leave the range; then nothing changes.
bool add_within_range(std::span<std::int32_t> sum, const std::int32_t* more) {
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const std::int64_t total = std::int64_t{sum[k]} + more[k];
    if (total > fixed_limit || total < -fixed_limit) return false;
  }
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += more[k];
  return true;
}

}  // namespace

void Contribution::make_canonical() {
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [this](std::size_t a, std::size_t b) {
    if (rows_[a] != rows_[b]) return rows_[a] < rows_[b];
    return std::lexicographical_compare(values(a), values(a) + stride_, values(b), values(b) + stride_);
  };
  std::sort(order.begin(), order.end(), before);
  Contribution sorted(width_);
  for (const std::size_t n : order) {
    const bool repeats = sorted.size() > 0 && sorted.rows_.back() == rows_[n];
    if (repeats) {
      const std::span last(sorted.values_.data() + (sorted.size() - 1) * stride_, stride_);
      if (add_within_range(last, values(n))) continue;
    }
    std::copy_n(values(n), stride_, sorted.append(rows_[n]));
  }
  *this = std::move(sorted);
}

}  // namespace sotto::privacy
