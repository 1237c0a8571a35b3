// kaHFM (Anelli et al. 2019): a matrix factorisation whose factors are the items' features. An item's vector
// starts at its TF-IDF and a person's at their profile (tf_idf.h), biases at 0; BPR-MF moves them from there
// (bpr_mf.h). So a factor keeps the name of its feature, and the score Σ_f p_uf q_if + b_i says why.
//
// Laws: those of BPR-MF; rows are features + 1 wide, laid out as in model/mf_recommender.h; before the first
// epoch scores are products of profiles and TF-IDF rows. Somebody new gets a vector by the steps of
// MfRecommender::fold_in, which begin at their profile. Who has no features starts at 0 and learns all the
// same. As an Explainer: the parts add up to the score less the item's bias, which is the same for everybody;
// training may give an item some weight in a feature that it does not have.
#pragma once

#include <memory>
#include <vector>

#include "model/central/bpr_mf.h"
#include "model/central/tf_idf.h"
#include "model/explainer.h"
#include "model/mf_recommender.h"

namespace sotto::model {

// BPR-MF from where kaHFM begins; `options.factors` and `init_sd` do not count. `train` must outlive it.
[[nodiscard]] Result<std::unique_ptr<BprMf>> start_kahfm(const Histories& train, std::size_t catalogue,
                                                         std::shared_ptr<const ItemFeatures> features,
                                                         ProfileRule rule, BprMfOptions options);

class KaHfm final : public Recommender, public Explainer {
 public:
  // Looks at matrices that live elsewhere and outlive it.
  KaHfm(std::shared_ptr<const ItemFeatures> features, ProfileRule rule, const RowMatrix* users,
        const RowMatrix* items, const FoldInOptions& fold_in);
  // Keeps both.
  KaHfm(std::shared_ptr<const ItemFeatures> features, ProfileRule rule, RowMatrix users, RowMatrix items,
        const FoldInOptions& fold_in);

  [[nodiscard]] std::size_t catalogue() const override { return items_->rows(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  [[nodiscard]] bool sweep(std::span<const UserIndex> users, ItemRange items, ScoreSink& sink) const override;
  void score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;

  [[nodiscard]] std::vector<Reason> reasons(UserIndex user, ItemIndex item) const override;
  [[nodiscard]] std::vector<std::vector<Reason>> reasons_for_history(
      std::span<const ItemIndex> history, std::span<const ItemIndex> items) const override;
  // Takes the features out of the items' rows.
  void veto(std::vector<FeatureIndex> features) override;

 private:
  [[nodiscard]] RowMatrix vector_of(std::span<const ItemIndex> history) const;
  [[nodiscard]] std::vector<Reason> parts(const float* user, ItemIndex item) const;

  TfIdf rows_;
  ProfileRule rule_;
  FoldInOptions fold_in_;
  RowMatrix own_users_, own_items_;
  const RowMatrix* users_;
  const RowMatrix* items_;  // without vetoes
  std::unique_ptr<MfRecommender> model_;
};

}  // namespace sotto::model
