// User-kNN: an item's score is the summed likeness of the user's k nearest users who have it.
#pragma once

#include <memory>

#include "model/central/neighbors.h"
#include "model/named_numbers.h"
#include "model/recommender.h"

namespace sotto::model {

class UserKnn final : public Recommender, public NamedNumbers {
 public:
  // `train` must outlive the model.
  [[nodiscard]] static Result<std::unique_ptr<UserKnn>> fit(const Histories& train, std::size_t catalogue,
                                                            const KnnOptions& options, Executor& executor);

  [[nodiscard]] std::size_t catalogue() const override { return audiences_.items(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  // Looks for the neighbours of the given history among the training users.
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // The likeness of the items' audiences.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override { neighbors_.add_numbers(hasher); }

 private:
  UserKnn(const Histories& train, std::size_t catalogue, const KnnOptions& options, Executor& executor);
  void add_up(std::span<const Neighbor> neighbors, ItemRange items, float* out) const;

  const Histories& train_;
  Audiences audiences_;
  KnnOptions options_;
  NeighborLists neighbors_;
};

}  // namespace sotto::model
