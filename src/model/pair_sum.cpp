#include "model/pair_sum.h"

#include <algorithm>

#include "base/assert.h"

namespace sotto {

PairSum::PairSum(People people, std::vector<std::uint64_t> triangle)
    : people_(std::move(people)), triangle_(std::move(triangle)) {
  SOTTO_ASSERT(triangle_.size() == triangle_size(people_.popularity.size()), "a triangle of all items");
}

PairSum::PairSum(People people, std::span<const PairEntry> pairs)
    : people_(std::move(people)), offsets_(people_.popularity.size() + 1, 0) {
  for (const PairEntry& pair : pairs) {
    ++offsets_[pair.first() + 1];
    if (pair.first() != pair.second()) ++offsets_[pair.second() + 1];
  }
  for (std::size_t item = 1; item < offsets_.size(); ++item) offsets_[item] += offsets_[item - 1];
  others_.resize(offsets_.back());
  sums_.resize(offsets_.back());
  // Keys ascend by the larger item: row i first gets its smaller partners in order, then, as the larger ones
  // come along, those.
  std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
  const auto put = [&](std::uint32_t item, std::uint32_t other, std::uint64_t sum) {
    others_[next[item]] = other;
    sums_[next[item]++] = sum;
  };
  for (const PairEntry& pair : pairs) {
    put(pair.first(), pair.second(), pair.sum);
    if (pair.first() != pair.second()) put(pair.second(), pair.first(), pair.sum);
  }
}

void PairSum::row(std::uint32_t item, PairRow& out) const {
  out.items.clear();
  out.sums.clear();
  if (triangle_.empty()) {
    const auto from = static_cast<std::ptrdiff_t>(offsets_[item]);
    const auto to = static_cast<std::ptrdiff_t>(offsets_[item + 1]);
    out.items.assign(others_.begin() + from, others_.begin() + to);
    out.sums.assign(sums_.begin() + from, sums_.begin() + to);
    return;
  }
  for (std::uint32_t other = 0; other < items(); ++other) {
    const std::size_t large = std::max(item, other), small = std::min(item, other);
    const std::uint64_t sum = triangle_[triangle_size(large) + small];
    if (sum == 0) continue;
    out.items.push_back(other);
    out.sums.push_back(sum);
  }
}

}  // namespace sotto
