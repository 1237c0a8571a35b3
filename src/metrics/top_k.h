// The k best items of a list of scores, exactly.
//
// Laws: the order is (score descending, item ascending), so ties always fall the same way; the answer
// does not depend on how the scores are cut into blocks; an item whose score is −∞ or not a number is
// never chosen; fewer than k candidates give a shorter list. Memory is a small multiple of k.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/score_kernels.h"
#include "data/ids.h"
#include "model/recommender.h"

namespace sotto::metrics {

struct ScoredItem {
  ItemIndex item;
  float score = 0.0f;
  bool operator==(const ScoredItem&) const = default;
};

// Takes scores in ascending order of items and keeps the best k.
class TopK {
 public:
  explicit TopK(std::size_t k);

  // scores[n] belongs to item first + n.
  void offer(std::uint32_t first, std::span<const float> scores);
  // The same for those of 64 scores whose bit is set in `lanes`; they are above the threshold.
  void offer(std::uint32_t first, const float* scores, std::uint64_t lanes);
  // Only scores above it can still enter: a later item that equals it loses the tie.
  [[nodiscard]] float threshold() const { return threshold_; }
  // The best, best first; the object is empty afterwards and can be used again.
  [[nodiscard]] std::vector<ScoredItem> take();

 private:
  // Short lists are kept in order, in the kernel's slots; longer ones collect up to 2k and are cut back.
  [[nodiscard]] bool is_short() const { return k_ <= kernels::most_slots; }
  void collect(ItemIndex item, float score);
  void reset();

  std::size_t k_;
  std::uint32_t next_ = 0;
  float threshold_ = 0.0f;
  std::vector<float> slot_scores_;
  std::vector<std::uint32_t> slot_items_;
  std::vector<ScoredItem> collected_;
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

}  // namespace sotto::metrics
