// A matrix factorisation with item biases as a Recommender; FPL and BPR-MF end as one.
//
// Both matrices are F + 1 wide: a user's row is [p_0 … p_{F−1}, 1], an item's [q_0 … q_{F−1}, b], so that
// a score b + p·q is one product of two rows. Laws: each score is the chain of base/score_kernels.h over the
// two rows (p_0·q_0 first, the bias last), however users and items are cut into blocks and on every machine;
// fold-in leaves the item rows as they are and yields the same bits for the same history and seed.
#pragma once

#include <memory>
#include <optional>

#include "base/row_matrix.h"
#include "model/als.h"
#include "model/recommender.h"

namespace sotto::model {

// How a vector is learned, on the device, for somebody who was not there at training: BPR steps on p
// alone, p = 0 at the start, `passes` times as many steps as the history has items; or, for models of least
// squares, the exact solution.
struct FoldInOptions {
  float learning_rate = 0.05f;
  float reg = 0.0025f;
  std::uint32_t passes = 30;
  std::uint64_t seed = 1;
  std::optional<AlsOptions> exact;
};

class MfRecommender final : public Recommender {
 public:
  // Looks at matrices that live elsewhere and outlive it (during training).
  MfRecommender(const RowMatrix* users, const RowMatrix* items, const FoldInOptions& fold_in);
  // Keeps the items.
  MfRecommender(const RowMatrix* users, RowMatrix items, const FoldInOptions& fold_in);
  // Keeps both.
  MfRecommender(RowMatrix users, RowMatrix items, const FoldInOptions& fold_in);

  [[nodiscard]] std::size_t catalogue() const override { return items_->rows(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  [[nodiscard]] bool sweep(std::span<const UserIndex> users, ItemRange items, ScoreSink& sink) const override;
  void score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // Cosine of the items' vectors, without the bias.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;

  // The vector learned for `history`, one row of a user matrix.
  [[nodiscard]] RowMatrix fold_in(std::span<const ItemIndex> history) const;
  // The same by steps that begin at `start` instead of 0.
  [[nodiscard]] RowMatrix fold_in(std::span<const ItemIndex> history, RowMatrix start) const;
  // Scores of the whole catalogue for one row of a user matrix.
  void score_vector(const RowMatrix& vector, std::span<float> out) const;

  [[nodiscard]] const RowMatrix& items() const { return *items_; }

 private:
  bool sweep_rows(std::span<const float* const> rows, ItemRange items, ScoreSink& sink) const;

  RowMatrix own_users_;
  RowMatrix own_items_;
  const RowMatrix* users_;
  const RowMatrix* items_;
  FoldInOptions fold_in_;
};

}  // namespace sotto::model
