// NeuMF (He et al. 2017) as a Recommender: a factorisation (GMF) and a network (MLP) side by side, each with
// vectors of its own, joined by one last neuron. A central baseline; it is trained in src/neural.
//
//   score = w · [p_u ∘ q_i, MLP([e_u, f_i]), 1]       each layer of the MLP: x → max(0, L [x, 1])
//
// A user's row is [p_u, e_u], an item's [q_i, f_i]. Laws: a score depends on the two rows and the layers
// alone, on every machine; fold-in leaves rows and layers as they are.
#pragma once

#include <cstdint>
#include <vector>

#include "model/central/neural_options.h"
#include "model/recommender.h"

namespace sotto::model {

class NeuMf final : public Recommender {
 public:
  // Looks at matrices that live elsewhere and outlive it (during training). They fit the options.
  NeuMf(const NeuMfOptions& options, std::uint64_t seed, const RowMatrix* users, const RowMatrix* items,
        const std::vector<RowMatrix>* layers);
  // Keeps them.
  NeuMf(const NeuMfOptions& options, std::uint64_t seed, RowMatrix users, RowMatrix items,
        std::vector<RowMatrix> layers);

  [[nodiscard]] std::size_t catalogue() const override { return items_->rows(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  // Learns a row for the history first, by logistic steps from the mean row of the training users.
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // Cosine of the items' rows.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;

  // The row that it learns for the history.
  [[nodiscard]] RowMatrix fold_in(std::span<const ItemIndex> history) const;
  // ∂ score / ∂ row of an item for somebody with this row; returns the score. For fold-in and its test.
  float gradient(const float* row, ItemIndex item, std::span<float> out) const;

 private:
  // What one user's row contributes to each score, worked out once.
  struct Half {
    std::vector<float> factors;  // w ∘ p_u
    std::vector<float> first;    // of the MLP's first layer, with the bias
  };
  void prepare();
  [[nodiscard]] Half half_of(const float* row) const;
  [[nodiscard]] float score_one(const Half& half, std::size_t item, std::vector<float>& space) const;

  NeuMfOptions options_;
  std::uint64_t seed_;
  RowMatrix own_users_, own_items_;
  std::vector<RowMatrix> own_layers_;
  const RowMatrix* users_;
  const RowMatrix* items_;
  const std::vector<RowMatrix>* layers_;
  RowMatrix item_first_;            // each item's part of the first layer
  std::vector<RowMatrix> columns_;  // the layers after the first, turned: one row a value that goes in
  RowMatrix mean_user_;
};

}  // namespace sotto::model
