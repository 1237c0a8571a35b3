// ListKeeper: while a model's scores sweep by, keeps the best items of a few users and, where asked, how
// their relevant items stand among all others.
//
// Laws: lists are those of TopK over the items that are not masked; counts are exact; neither depends on
// how the catalogue is cut into blocks. Memory: for each user depth and relevant scores, and 8 bytes
// (16 with counting) for each 64 items of a block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/score_kernels.h"
#include "metrics/top_k.h"
#include "model/recommender.h"

namespace sotto::metrics {

class ListKeeper final : public ScoreSink {
 public:
  ListKeeper(std::size_t users, std::size_t depth);

  // Before the first block, for the k-th user. `items` are ascending and outlive the keeper.
  // Items that are no candidates; several calls for one user name disjoint parts.
  void mask(std::size_t k, std::span<const ItemIndex> items);
  // Items to be counted against all candidates that are neither masked nor relevant, and their scores,
  // which are finite.
  void judge(std::size_t k, std::span<const ItemIndex> relevant, std::span<const float> scores);

  // Before each sweep: blocks come in ascending order of items.
  void open(ItemRange block);

  [[nodiscard]] const float* thresholds() const override { return thresholds_.data(); }
  void take(const ScoreTile& tile) override;

  // After the last sweep.
  [[nodiscard]] std::vector<ScoredItem> best(std::size_t k) { return best_[k].take(); }
  [[nodiscard]] const kernels::PairCount& pairs(std::size_t k) const { return pairs_[k]; }

 private:
  struct Marked {
    std::uint32_t user;
    bool masked;                       // else relevant
    std::span<const ItemIndex> items;  // those in blocks to come
  };
  void mark(std::span<const ItemIndex> items, std::size_t user, std::vector<std::uint64_t>& words) const;
  void count(const ScoreTile& tile, const std::uint64_t* left_out, std::uint64_t beyond);

  std::vector<TopK> best_;
  std::vector<float> thresholds_;
  std::vector<Marked> marked_;
  ItemRange block_;
  std::vector<std::uint64_t> masked_;    // a bit an item: tiles of the block × users
  std::vector<std::uint64_t> left_out_;  // the same, masked or relevant; empty where nothing is counted
  std::vector<float> sorted_;            // relevant scores, each user's ascending and padded
  std::vector<std::size_t> sorted_at_;   // where each user's begin
  std::vector<std::uint32_t> relevant_;  // how many each user has; empty where nothing is counted
  std::vector<kernels::PairCount> pairs_;
};

}  // namespace sotto::metrics
