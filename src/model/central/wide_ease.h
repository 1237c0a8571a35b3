// EASE for catalogues larger than the number of people, where one dense matrix of items would not fit. With
// K = XXᵀ + λI over people, (XᵀX + λI)⁻¹ = (I − XᵀK⁻¹X)/λ; scores need K⁻¹, the diagonal and products with X:
//   x_u B at j = (K⁻¹k_u)·x_j / d_j,  d_j = 1 − x_jᵀK⁻¹x_j,  k_u = X x_u
// with x_j the people who have item j; an item that u has loses its own weight w, w − (w − (K⁻¹k_u)·x_j)/d_j.
//
// Laws: equals Ease on the whole catalogue within rounding; the same bytes for any number of threads.
#pragma once

#include <memory>
#include <vector>

#include "base/dense.h"
#include "model/central/ease.h"

namespace sotto::model {

class WideEase final : public Recommender, public NamedNumbers {
 public:
  // `train` must outlive the model.
  [[nodiscard]] static Result<std::unique_ptr<WideEase>> fit(const Histories& train, std::size_t catalogue,
                                                             const EaseOptions& options, Executor& executor);

  [[nodiscard]] std::size_t catalogue() const override { return audiences_.items(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // The item's row of B.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  // What would be added up for the made-up person, over people instead of items; and d.
  void add_numbers(Hasher& hasher) const override;

 private:
  WideEase(const Histories& train, std::size_t catalogue, float recency);
  [[nodiscard]] Status solve(double lambda, Executor& executor);
  // K⁻¹k of somebody with these items; each counts 1 where there is no recency.
  void weigh_people(std::span<const ItemIndex> history, std::span<const float> recency,
                    std::span<double> people) const;
  // Scores of somebody with these items, given K⁻¹k of them.
  void score_by(std::span<const double> people, std::span<const ItemIndex> history,
                std::span<const float> recency, ItemRange items, float* out) const;

  const Histories& train_;
  Audiences audiences_;
  Recency recency_;
  double lambda_ = 0.0;
  SymmetricMatrix inverse_;        // K⁻¹
  std::vector<double> remainder_;  // d
  std::string statistics_;         // names the integers of XXᵀ, and λ
};

}  // namespace sotto::model
