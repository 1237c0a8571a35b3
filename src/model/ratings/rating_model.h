// RatingModel: what the central models of ratings have in common. Each predicts what somebody would give an
// item; its lists rank by that prediction before it is cut to the scale (so that 5.2 stands above 5.1).
//
// Laws: those of Recommender and RatingPredictor. A prediction lies on the scale. Somebody without training
// ratings, and an item outside the catalogue, add nothing: what is left of the model predicts (each header
// says what that is); of both together it is the mean of all ratings. Somebody new whose history has no
// ratings counts as having liked it: each item as rated with the mean of those training ratings that are not
// below the mean of all. score_rated() takes the ratings where they are known.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "data/records.h"
#include "model/named_numbers.h"
#include "model/rating_predictor.h"
#include "model/ratings/rated_matrix.h"
#include "model/recommender.h"

namespace sotto::model {

// What they learn from: the training part of a split and its ratings.
struct RatingData {
  const Histories* train = nullptr;
  std::span<const float> ratings;  // one an interaction
  RatingScale scale;
  std::size_t catalogue = 0;
};

// Fails where there are no ratings, not one an interaction, or one off the scale.
[[nodiscard]] Status check(const RatingData& data);

class RatingModel : public Recommender, public RatingPredictor, public NamedNumbers {
 public:
  [[nodiscard]] std::size_t catalogue() const final { return users_.columns(); }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  void score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // Fails unless the model says otherwise: ratings alone do not say which items are alike.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;

  void predict(UserIndex user, std::span<const Occasion> occasions, std::span<float> out) const final;
  // Whether there are training ratings of this person or of this item.
  [[nodiscard]] bool knows(UserIndex user, ItemIndex item) const override;

  // Scores of the whole catalogue for somebody new who rated `history` (ascending, within the catalogue).
  void score_rated(std::span<const Rated> history, std::span<float> out) const;

 protected:
  explicit RatingModel(const RatingData& data);

  // The predictions before they are cut to the scale; items may lie outside the catalogue.
  virtual void estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const = 0;
  virtual void estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                            std::span<float> out) const = 0;

  [[nodiscard]] const RatedMatrix& by_user() const { return users_; }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] bool in_catalogue(ItemIndex item) const { return item.value < catalogue(); }

 private:
  RatedMatrix users_;
  RatingScale scale_;
  double mean_;
  float liked_ = 0.0f;
  std::vector<std::uint8_t> rated_;  // of each item: whether somebody rated it
};

}  // namespace sotto::model
