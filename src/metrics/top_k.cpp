#include "metrics/top_k.h"

#include <algorithm>
#include <limits>

#include "metrics/list_keeper.h"

namespace sotto {

namespace {

bool better(const ScoredItem& a, const ScoredItem& b) {
  return a.score > b.score || (a.score == b.score && a.item < b.item);
}

}  // namespace

TopK::TopK(std::size_t k) : k_(k) {
  kept_.reserve(room());
  reset();
}

void TopK::reset() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  kept_.clear();
  next_ = 0;
  threshold_ = k_ == 0 ? infinity : -infinity;
}

void TopK::offer(std::uint32_t first, std::span<const float> scores) {
  SOTTO_ASSERT(first >= next_, "blocks are offered in ascending order of items");
  next_ = first + static_cast<std::uint32_t>(scores.size());
  // Items come in ascending order: a later one that only equals the threshold loses the tie.
  constexpr std::size_t stride = 16;
  std::size_t n = 0;
  while (n < scores.size()) {
    const std::size_t end = std::min(n + stride, scores.size());
    bool any = false;
    for (std::size_t m = n; m < end; ++m) any |= scores[m] > threshold_;
    for (; any && n < end; ++n) {
      if (scores[n] > threshold_) keep(ItemIndex{first + static_cast<std::uint32_t>(n)}, scores[n]);
    }
    n = end;
  }
}

void TopK::compact() {
  if (kept_.size() < k_) return;
  const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(k_) - 1;
  std::nth_element(kept_.begin(), last, kept_.end(), better);
  kept_.resize(k_);
  threshold_ = kept_.back().score;
}

std::vector<ScoredItem> TopK::take() {
  if (kept_.size() > k_) compact();
  std::sort(kept_.begin(), kept_.end(), better);
  std::vector<ScoredItem> best(kept_);
  reset();
  return best;
}

void mask_seen(std::span<const ItemIndex> seen, ItemRange block, std::span<float> scores) {
  for (auto it = std::lower_bound(seen.begin(), seen.end(), ItemIndex{block.begin});
       it != seen.end() && it->value < block.end; ++it)
    scores[it->value - block.begin] = -std::numeric_limits<float>::infinity();
}

std::vector<ScoredItem> top_items(std::vector<float> scores, std::span<const ItemIndex> seen, std::size_t k) {
  mask_seen(seen, {0, static_cast<std::uint32_t>(scores.size())}, scores);
  TopK best(std::min(k, scores.size()));
  best.offer(0, scores);
  return best.take();
}

std::vector<ScoredItem> recommend(const Recommender& model, UserIndex user, std::span<const ItemIndex> seen,
                                  std::size_t k, std::size_t block_items) {
  const std::size_t catalogue = model.catalogue();
  ListKeeper keeper(1, std::min(k, catalogue));
  keeper.mask(0, seen);
  for (std::size_t begin = 0; begin < catalogue; begin += block_items) {
    const ItemRange block{static_cast<std::uint32_t>(begin),
                          static_cast<std::uint32_t>(std::min(begin + block_items, catalogue))};
    keeper.open(block);
    static_cast<void>(model.sweep(std::span(&user, 1), block, keeper));
  }
  return keeper.best(0);
}

}  // namespace sotto
