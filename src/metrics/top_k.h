// The k best items of a list of scores, exactly.
//
// Laws: the order is (score descending, item ascending), so ties always fall the same way; the answer
// does not depend on how the scores are cut into blocks; an item whose score is −∞ or not a number is
// never chosen; fewer than k candidates give a shorter list. Memory is a small multiple of k.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "data/ids.h"
#include "model/recommender.h"

namespace sotto {

struct ScoredItem {
  ItemIndex item;
  float score = 0.0f;
  bool operator==(const ScoredItem&) const = default;
};

// Takes scores block by block, in ascending order of items, and keeps the best k.
class TopK {
 public:
  explicit TopK(std::size_t k);

  // scores[n] belongs to item first + n.
  void offer(std::uint32_t first, std::span<const float> scores);
  void offer(ItemIndex item, float score) {
    SOTTO_ASSERT(item.value >= next_, "items are offered in ascending order");
    next_ = item.value;
    if (score > threshold_) keep(item, score);
  }
  // Only scores above it can still enter.
  [[nodiscard]] float threshold() const { return threshold_; }
  // The best, best first; the object is empty afterwards and can be used again.
  [[nodiscard]] std::vector<ScoredItem> take();

 private:
  void keep(ItemIndex item, float score) {
    kept_.push_back({item, score});
    if (kept_.size() == room()) compact();
  }
  void compact();
  void reset();
  // More than k, so that many enter before the best are sorted out.
  [[nodiscard]] std::size_t room() const { return 2 * k_ + 16; }

  std::size_t k_;
  std::uint32_t next_ = 0;
  float threshold_ = 0.0f;
  std::vector<ScoredItem> kept_;
};

// Sets the scores of the `seen` items that lie in `block` to −∞. `seen` is ascending.
void mask_seen(std::span<const ItemIndex> seen, ItemRange block, std::span<float> scores);

// The best k of a whole catalogue's scores, without the `seen` items.
[[nodiscard]] std::vector<ScoredItem> top_items(std::vector<float> scores, std::span<const ItemIndex> seen,
                                                std::size_t k);

// The best k items for one user, without the `seen` ones; the catalogue is swept `block_items` at a time.
[[nodiscard]] std::vector<ScoredItem> recommend(const Recommender& model, UserIndex user,
                                                std::span<const ItemIndex> seen, std::size_t k,
                                                std::size_t block_items = std::size_t{1} << 16);

}  // namespace sotto
