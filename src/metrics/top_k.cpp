#include "metrics/top_k.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "metrics/list_keeper.h"

namespace sotto::metrics {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

bool better(const ScoredItem& a, const ScoredItem& b) {
  return a.score > b.score || (a.score == b.score && a.item < b.item);
}

}  // namespace

TopK::TopK(std::size_t k) : k_(k) {
  if (!is_short()) collected_.reserve(2 * k);
  const std::size_t slots = k <= kernels::most_slots / 2 ? kernels::most_slots / 2 : kernels::most_slots;
  slot_scores_.resize(is_short() ? slots : 0);
  slot_items_.resize(slot_scores_.size());
  reset();
}

void TopK::reset() {
  std::fill(slot_scores_.begin(), slot_scores_.end(), -infinity);
  collected_.clear();
  next_ = 0;
  threshold_ = k_ == 0 ? infinity : -infinity;
}

void TopK::offer(std::uint32_t first, std::span<const float> scores) {
  SOTTO_ASSERT(first >= next_, "blocks are offered in ascending order of items");
  next_ = first + static_cast<std::uint32_t>(scores.size());
  float last[tile_items];
  for (std::size_t n = 0; n < scores.size(); n += tile_items) {
    const float* tile = scores.data() + n;
    if (scores.size() - n < tile_items) {
      std::fill(std::copy(scores.begin() + static_cast<std::ptrdiff_t>(n), scores.end(), last),
                last + tile_items, -infinity);
      tile = last;
    }
    const std::uint64_t lanes = kernels::lanes_above(tile, threshold_);
    if (lanes != 0) offer(first + static_cast<std::uint32_t>(n), tile, lanes);
  }
}

void TopK::offer(std::uint32_t first, const float* scores, std::uint64_t lanes) {
  if (is_short()) {
    kernels::sink_lanes(slot_scores_.data(), slot_items_.data(), slot_scores_.size(), scores, first, lanes);
    threshold_ = slot_scores_[k_ - 1];
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    collect(ItemIndex{first + lane}, scores[lane]);
  }
}

void TopK::collect(ItemIndex item, float score) {
  if (!(score > threshold_)) return;
  collected_.push_back({item, score});
  if (collected_.size() < 2 * k_) return;
  std::nth_element(collected_.begin(), collected_.begin() + static_cast<std::ptrdiff_t>(k_) - 1,
                   collected_.end(), better);
  collected_.resize(k_);
  threshold_ = collected_.back().score;
}

std::vector<ScoredItem> TopK::take() {
  std::vector<ScoredItem> best;
  if (is_short()) {
    for (std::size_t n = 0; n < k_ && slot_scores_[n] > -infinity; ++n)
      best.push_back({ItemIndex{slot_items_[n]}, slot_scores_[n]});
  } else {
    std::sort(collected_.begin(), collected_.end(), better);
    best.assign(collected_.begin(),
                collected_.begin() + static_cast<std::ptrdiff_t>(std::min(k_, collected_.size())));
  }
  reset();
  return best;
}

void mask_seen(std::span<const ItemIndex> seen, ItemRange block, std::span<float> scores) {
  for (auto it = std::lower_bound(seen.begin(), seen.end(), ItemIndex{block.begin});
       it != seen.end() && it->value < block.end; ++it)
    scores[it->value - block.begin] = -infinity;
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

}  // namespace sotto::metrics
