// Item-kNN: an item's score is the summed likeness to those of its k nearest items that the user has.
#pragma once

#include <memory>

#include "model/central/item_weights.h"
#include "model/recommender.h"

namespace sotto::model {

class ItemKnn final : public Recommender, public NamedNumbers {
 public:
  // `train` must outlive the model.
  [[nodiscard]] static Result<std::unique_ptr<ItemKnn>> fit(const Histories& train, std::size_t catalogue,
                                                            const KnnOptions& options, Executor& executor,
                                                            const Recency& recency = Recency());

  [[nodiscard]] std::size_t catalogue() const override { return audiences_.items(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // The likeness to every item, not only to the neighbours.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override { weights_.add_numbers(hasher); }

 private:
  ItemKnn(const Histories& train, std::size_t catalogue, const KnnOptions& options, Executor& executor,
          const Recency& recency);

  const Histories& train_;
  Audiences audiences_;
  KnnOptions options_;
  ItemWeights weights_;
  Recency recency_;
};

}  // namespace sotto::model
