// ItemWeights: how much having one item speaks for another. Item-kNN, SLIM and RP3β all end as such a table
// W; the score of item j for somebody with the items x is Σ_{i∈x} w_i W_ij, summed in the order of x, with w
// the recency of i.
//
// Kept by the item one has: of(i) lists the (j, W_ij) that are not zero, j ascending.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/recency.h"
#include "model/central/neighbors.h"
#include "model/named_numbers.h"
#include "model/recommender.h"

namespace sotto::model {

class ItemWeights {
 public:
  // From lists by the item that is scored: lists.of(j) holds the (i, W_ij). What kNN and SLIM find.
  [[nodiscard]] static ItemWeights by_target(const NeighborLists& lists);
  // From lists by the item one has: lists.of(i) holds the (j, W_ij) in any order. What random walks find.
  [[nodiscard]] static ItemWeights by_source(const NeighborLists& lists);

  // Rows as they are kept.
  ItemWeights(std::vector<std::uint64_t> offsets, std::vector<Neighbor> weights)
      : offsets_(std::move(offsets)), weights_(std::move(weights)) {}

  [[nodiscard]] std::size_t items() const { return offsets_.size() - 1; }
  [[nodiscard]] std::size_t size() const { return weights_.size(); }
  [[nodiscard]] std::span<const Neighbor> of(std::size_t item) const {
    return std::span(weights_).subspan(offsets_[item], offsets_[item + 1] - offsets_[item]);
  }
  // out[n] = the score of item items.begin + n. Each item of the history counts as `recency` says, or 1.
  void add_up(std::span<const ItemIndex> history, std::span<const float> recency, ItemRange items,
              float* out) const;
  void add_numbers(Hasher& hasher) const { hasher.array(std::span(offsets_)).array(std::span(weights_)); }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<Neighbor> weights_;
};

// A recommender that is nothing but its weights.
class WeightedItems final : public Recommender, public NamedNumbers {
 public:
  // `train` must outlive the model.
  WeightedItems(const Histories& train, ItemWeights weights, Recency recency = Recency())
      : train_(train), weights_(std::move(weights)), recency_(std::move(recency)) {}

  [[nodiscard]] std::size_t catalogue() const override { return weights_.items(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // What having the item speaks for; 0 where it says nothing.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override { weights_.add_numbers(hasher); }
  [[nodiscard]] const ItemWeights& weights() const { return weights_; }

 private:
  const Histories& train_;
  ItemWeights weights_;
  Recency recency_;
};

}  // namespace sotto::model
