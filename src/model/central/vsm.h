// VSM, the vector space model: people and items are vectors over the items' features (tf_idf.h), and a score
// is the cosine of the two.
//
// The score of item i for u is Σ_f û_f ŵ_if over the features of i, both of length 1; a feature's part of it
// is a reason. Laws: scores are from 0 to 1 (up to rounding); where one of the two has no length (no
// features, or those only that every item has) the score is 0. A vetoed feature is taken out of every profile
// before it is scaled; the items' rows keep their lengths.
#pragma once

#include <memory>
#include <vector>

#include "model/central/tf_idf.h"
#include "model/explainer.h"
#include "model/named_numbers.h"
#include "model/recommender.h"

namespace sotto::model {

struct VsmOptions {
  FeatureWeights users = FeatureWeights::tf_idf;
  FeatureWeights items = FeatureWeights::tf_idf;
  ProfileRule profile = ProfileRule::mean;
};

class Vsm final : public Recommender, public Explainer, public NamedNumbers {
 public:
  // `train` must outlive the model.
  Vsm(const Histories& train, std::size_t catalogue, std::shared_ptr<const ItemFeatures> features,
      const VsmOptions& options);

  [[nodiscard]] std::size_t catalogue() const override { return catalogue_; }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // Cosine of the items' rows; vetoes do not change what items are.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override { hasher.array(rows_.values()).array(profiles_.values()); }

  [[nodiscard]] std::vector<Reason> reasons(UserIndex user, ItemIndex item) const override;
  [[nodiscard]] std::vector<std::vector<Reason>> reasons_for_history(
      std::span<const ItemIndex> history, std::span<const ItemIndex> items) const override;
  void veto(std::vector<FeatureIndex> features) override { vetoed_ = std::move(features); }

 private:
  // The profile without vetoed features, of length 1; one number a feature.
  void direction(std::span<const ItemIndex> history, std::span<float> out) const;
  // Products of a row of features with those of items.
  void products(std::span<const float> row, ItemRange items, float* out) const;

  const Histories& train_;
  std::size_t catalogue_;
  TfIdf rows_;      // of items, as they are scored
  TfIdf profiles_;  // of items, as they make profiles
  ProfileRule rule_;
  std::vector<FeatureIndex> vetoed_;
};

}  // namespace sotto::model
