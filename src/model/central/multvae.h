// MultVAE (Liang et al. 2018) as a Recommender: a history goes through a narrow code and comes back as a
// score for every item. A central baseline; it is trained in src/neural.
//
//   h = tanh(b + Σ_{i in history} W_i / √|history|)    z = M [h, 1]    g = tanh(D [z, 1])    score_i = O_i
//   [g, 1]
//
// Training draws z from N(mean, variance); here it is the mean. The last step is a matrix factorisation's:
// [g, 1] is a user's row and O_i an item's (model/mf_recommender.h). No user has parameters: a new history
// is scored exactly like a known one.
#pragma once

#include <memory>
#include <optional>

#include "base/executor.h"
#include "model/central/neural_options.h"
#include "model/mf_recommender.h"

namespace sotto::model {

class MultVae final : public Recommender {
 public:
  // Looks at matrices that live elsewhere and outlive it (during training). Items and layers fit each other;
  // the histories are read here and not again.
  MultVae(const Histories& train, const RowMatrix* items, const std::vector<RowMatrix>* layers,
          Executor& executor);
  // Keeps them.
  MultVae(const Histories& train, RowMatrix items, std::vector<RowMatrix> layers, Executor& executor);

  [[nodiscard]] std::size_t catalogue() const override { return items_->rows(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  [[nodiscard]] bool sweep(std::span<const UserIndex> users, ItemRange items, ScoreSink& sink) const override;
  void score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // Cosine of the items' output rows.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;

 private:
  void decode_all(const Histories& train, Executor& executor);
  // Writes [g, 1] of a history to `row`.
  void decode(std::span<const ItemIndex> history, float* row) const;

  RowMatrix own_items_;
  std::vector<RowMatrix> own_layers_;
  const RowMatrix* items_;
  const std::vector<RowMatrix>* layers_;
  RowMatrix users_;
  std::optional<MfRecommender> last_step_;
};

}  // namespace sotto::model
