// PaCo-style co-clustering (Vlachos et al., CIKM 2014, in plain form): people and items are put into clusters
// by who took what, similar clusters are merged, and somebody is recommended what their people's cluster
// takes much of.
//
// Partition: k-means of the people's binary rows, and of the items'. Coarsen: two clusters of one side are
// merged as long as that makes the whole matrix shorter to write down (each block of people × items costs its
// size times the entropy of its density, and a number for its density), the best merge first. Score: the
// density of the block of the person's and the item's cluster; within a block, how popular the item is among
// the person's cluster. It predicts no ratings.
//
// Laws: the same bytes for the same seed; somebody without a history is in a cluster of the nearest mean like
// anybody else.
#pragma once

#include <memory>

#include "model/named_numbers.h"
#include "model/ratings/co_clusters.h"
#include "model/recommender.h"

namespace sotto::model {

struct PacoOptions {
  std::uint32_t user_clusters = 30;  // before merging
  std::uint32_t item_clusters = 30;
  std::uint32_t passes = 20;  // of k-means
  std::uint64_t seed = 1;
};

class Paco final : public Recommender, public NamedNumbers {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Paco>> fit(const Histories& train, std::size_t catalogue,
                                                         const PacoOptions& options);

  [[nodiscard]] std::size_t catalogue() const override { return item_clusters_.size(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override;

  [[nodiscard]] std::span<const std::uint32_t> user_clusters() const { return user_clusters_; }
  [[nodiscard]] std::span<const std::uint32_t> item_clusters() const { return item_clusters_; }

 private:
  Paco(const Histories& train, std::size_t catalogue, const PacoOptions& options);
  [[nodiscard]] float score_in(std::uint32_t cluster, std::uint32_t item) const;

  std::vector<std::uint32_t> user_clusters_, item_clusters_;
  std::size_t item_cluster_count_ = 0;
  std::vector<double> density_;  // clusters of people × clusters of items
  Centers shares_;               // of each cluster of people: the share of them who have each item
};

}  // namespace sotto::model
