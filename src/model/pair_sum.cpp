#include "model/pair_sum.h"

#include <algorithm>

#include "base/assert.h"

namespace sotto::model {

namespace {

void drop_zeros(PairRow& row) {
  std::size_t kept = 0;
  for (std::size_t n = 0; n < row.sums.size(); ++n) {
    if (row.sums[n] == 0) continue;
    row.items[kept] = row.items[n];
    row.sums[kept++] = row.sums[n];
  }
  row.items.resize(kept);
  row.sums.resize(kept);
}

}  // namespace

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

std::uint64_t& PairSum::sum_of(std::uint32_t item, std::uint32_t other) {
  if (!triangle_.empty()) return triangle_[triangle_size(std::max(item, other)) + std::min(item, other)];
  const auto from = others_.begin() + static_cast<std::ptrdiff_t>(offsets_[item]);
  const auto to = others_.begin() + static_cast<std::ptrdiff_t>(offsets_[item + 1]);
  const auto found = std::lower_bound(from, to, other);
  SOTTO_ASSERT(found != to && *found == other, "what is taken back was added");
  return sums_[static_cast<std::size_t>(found - others_.begin())];
}

void PairSum::subtract(std::span<const std::uint32_t> items, std::uint64_t weight) {
  SOTTO_ASSERT(!items.empty() && people_.count > 0, "what is taken back was added");
  --people_.count;
  for (std::size_t n = 0; n < items.size(); ++n) {
    --people_.popularity[items[n]];
    for (std::size_t k = 0; k <= n; ++k) {
      std::uint64_t& sum = sum_of(items[n], items[k]);
      SOTTO_ASSERT(sum >= weight, "what is taken back was added");
      sum -= weight;
      has_zeros_ |= sum == 0;
      // Rows hold both halves; the triangle one.
      if (triangle_.empty() && k < n) sum_of(items[k], items[n]) -= weight;
    }
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
    if (has_zeros_) drop_zeros(out);
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

PairSum PairSum::renumbered(std::span<const std::uint32_t> items, std::size_t catalogue) const {
  SOTTO_ASSERT(items.size() == this->items(), "a number for each item");
  People people{people_.count, std::vector<std::uint32_t>(catalogue, 0), people_.unit};
  std::vector<PairEntry> pairs;
  PairRow of;
  for (std::uint32_t n = 0; n < items.size(); ++n) {
    people.popularity[items[n]] = people_.popularity[n];
    row(n, of);
    for (std::size_t k = 0; k < of.items.size() && of.items[k] <= n; ++k)
      pairs.push_back({PairEntry::key_of(items[n], items[of.items[k]]), of.sums[k]});
  }
  return PairSum(std::move(people), pairs);
}

}  // namespace sotto::model
