// KGFlex as a Recommender that can say why (model/explainer.h).
//
// A score is the sum of the parts of the features that person and item share, in ascending order of features.
// Somebody without a profile (no history, or no item of it has a feature) gets Σ b_f over the item's
// features: what everybody's updates say, without a view of their own. Fold-in makes a profile of the history
// and learns p alone, from 0, by `passes` times as many steps as it has items; the shared rows stay. Two
// items are as alike as the share of their features that they have in common.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/explainer.h"
#include "model/kgflex/kgflex.h"
#include "model/recommender.h"

namespace sotto::model {

class KgflexRecommender final : public Recommender, public Explainer {
 public:
  static constexpr std::uint32_t fold_in_passes = 30;

  // Looks at matrices that live elsewhere and outlive it (during training). One row of `users` a history.
  KgflexRecommender(Kgflex model, const RowMatrix* users, const RowMatrix* features);
  // Keeps both.
  KgflexRecommender(Kgflex model, RowMatrix users, RowMatrix features);

  [[nodiscard]] std::size_t catalogue() const override { return model_.devices().catalogue(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;

  [[nodiscard]] std::vector<Reason> reasons(UserIndex user, ItemIndex item) const override;
  [[nodiscard]] std::vector<std::vector<Reason>> reasons_for_history(
      std::span<const ItemIndex> history, std::span<const ItemIndex> items) const override;
  void veto(std::vector<FeatureIndex> features) override { vetoed_ = std::move(features); }

  // The private row of a known user by the history alone, learned as that of somebody new.
  [[nodiscard]] RowMatrix fold_in(UserIndex user) const;
  // The features a person cares about, with k_uf.
  [[nodiscard]] FeatureProfile profile(UserIndex user) const { return model_.devices().profiles().of(user); }
  [[nodiscard]] const ItemFeatures& features() const { return model_.devices().features(); }

 private:
  // A feature's part of the scores of one person.
  using Parts = std::vector<Reason>;

  // p of each of the profile's features, learned from 0.
  [[nodiscard]] RowMatrix learned(const FeatureProfile& profile, std::span<const ItemIndex> history) const;
  [[nodiscard]] Parts parts_of(const FeatureProfile& profile, const float* own) const;
  [[nodiscard]] Parts parts_of(UserIndex user) const;
  [[nodiscard]] Parts parts_of(std::span<const ItemIndex> history) const;
  // Without a profile; a known user's features that are kept back have no part.
  [[nodiscard]] Parts parts_of_nobody(std::optional<UserIndex> user = std::nullopt) const;
  void add_up(const Parts& parts, ItemRange items, std::span<float> out) const;
  [[nodiscard]] std::vector<Reason> among(const Parts& parts, ItemIndex item) const;

  Kgflex model_;
  RowMatrix own_users_, own_features_;
  const RowMatrix* users_;
  const RowMatrix* shared_;
  std::vector<FeatureIndex> vetoed_;
};

}  // namespace sotto::model
