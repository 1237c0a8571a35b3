#include "metrics/list_keeper.h"

#include <algorithm>
#include <limits>

namespace sotto::metrics {

ListKeeper::ListKeeper(std::size_t users, std::size_t depth)
    : best_(users, TopK(depth)), thresholds_(users, best_.empty() ? 0.0f : best_[0].threshold()) {}

void ListKeeper::mask(std::size_t k, std::span<const ItemIndex> items) {
  if (!items.empty()) marked_.push_back({static_cast<std::uint32_t>(k), true, items});
}

void ListKeeper::judge(std::size_t k, std::span<const ItemIndex> relevant, std::span<const float> scores) {
  SOTTO_ASSERT(scores.size() == relevant.size() && scores.size() < (1u << 24), "one score an item");
  if (relevant_.empty()) {
    relevant_.resize(best_.size());
    sorted_at_.resize(best_.size());
    pairs_.resize(best_.size());
  }
  if (relevant.empty()) return;
  marked_.push_back({static_cast<std::uint32_t>(k), false, relevant});
  relevant_[k] = static_cast<std::uint32_t>(scores.size());
  sorted_at_[k] = sorted_.size();
  sorted_.insert(sorted_.end(), scores.begin(), scores.end());
  std::sort(sorted_.end() - static_cast<std::ptrdiff_t>(scores.size()), sorted_.end());
  sorted_.insert(sorted_.end(), kernels::sorted_padding, std::numeric_limits<float>::infinity());
}

void ListKeeper::open(ItemRange block) {
  block_ = block;
  const std::size_t users = best_.size();
  const std::size_t words = (block.size() + tile_items - 1) / tile_items * users;
  masked_.assign(words, 0);
  left_out_.assign(relevant_.empty() ? 0 : words, 0);
  for (Marked& marked : marked_) {
    const ItemIndex end{block.end};
    const auto here = marked.items.first(static_cast<std::size_t>(
        std::lower_bound(marked.items.begin(), marked.items.end(), end) - marked.items.begin()));
    if (marked.masked) mark(here, marked.user, masked_);
    if (!left_out_.empty()) mark(here, marked.user, left_out_);
    marked.items = marked.items.subspan(here.size());
  }
}

void ListKeeper::mark(std::span<const ItemIndex> items, std::size_t user,
                      std::vector<std::uint64_t>& words) const {
  for (const ItemIndex item : items) {
    const std::size_t at = item.value - block_.begin;
    words[at / tile_items * best_.size() + user] |= std::uint64_t{1} << at % tile_items;
  }
}

void ListKeeper::take(const ScoreTile& tile) {
  const std::size_t words = (tile.items.begin - block_.begin) / tile_items * best_.size() + tile.user;
  // Lanes that hold no item.
  const std::uint64_t beyond = tile.items.size() < tile_items ? ~std::uint64_t{0} << tile.items.size() : 0;
  for (std::size_t k = 0; k < tile.users; ++k) {
    const std::uint64_t entering = tile.above[k] & ~(masked_[words + k] | beyond);
    if (entering == 0) continue;
    TopK& best = best_[tile.user + k];
    best.offer(tile.items.begin, tile.scores + k * tile_items, entering);
    thresholds_[tile.user + k] = best.threshold();
  }
  if (!left_out_.empty()) count(tile, left_out_.data() + words, beyond);
}

void ListKeeper::count(const ScoreTile& tile, const std::uint64_t* left_out, std::uint64_t beyond) {
  for (std::size_t k = 0; k < tile.users; ++k) {
    const std::size_t user = tile.user + k;
    if (relevant_[user] == 0) continue;
    kernels::count_pairs(tile.scores + k * tile_items, left_out[k] | beyond,
                         sorted_.data() + sorted_at_[user], relevant_[user], pairs_[user]);
  }
}

}  // namespace sotto::metrics
