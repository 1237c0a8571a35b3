// Fed-CARS as a Recommender and a RatingPredictor.
//
// Whoever is asked about adapts first, as their device would: the own row starts where everybody's does and
// takes the inner steps over the person's own records. Lists are ranked by what people choose (or by
// predicted ratings, where the model learned no choices), without the contexts of a record: what is asked is
// what to show, not when. Somebody new is asked by items alone for a list, and by rated occasions for
// ratings.
#pragma once

#include <memory>
#include <vector>

#include "model/fedcars/fedcars.h"
#include "model/rating_predictor.h"
#include "model/recommender.h"

namespace sotto::model {

// What somebody new has rated.
struct KnownRating {
  Occasion occasion;
  float rating = 0.0f;
};

// Why an item has its score: what everybody gets before their own row is adapted, and what the contexts of
// the item add for the person; the rest is what the own row makes of the item itself.
struct ScoreParts {
  struct OfValue {
    std::uint32_t value = 0;  // of Contexts
    float part = 0.0f;        // of the score
    float weight = 0.0f;      // how much the person cares about it at all
  };
  float score = 0.0f, common = 0.0f;
  std::vector<OfValue> values;
};

class FedcarsRecommender final : public Recommender, public RatingPredictor {
 public:
  // Looks at rows that live elsewhere and outlive it (during training).
  FedcarsRecommender(Fedcars model, const RowMatrix* shared) : model_(std::move(model)), shared_(shared) {}
  // Keeps them.
  FedcarsRecommender(Fedcars model, RowMatrix shared)
      : model_(std::move(model)), own_shared_(std::move(shared)), shared_(&own_shared_) {}

  [[nodiscard]] std::size_t catalogue() const override { return model_.layout().items; }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;

  [[nodiscard]] ScoreParts parts_of(UserIndex user, ItemIndex item) const;

  void predict(UserIndex user, std::span<const Occasion> occasions, std::span<float> out) const override;
  [[nodiscard]] bool knows(UserIndex user, ItemIndex item) const override;
  // For somebody who was not there at training, after so many inner steps.
  void predict_new(std::span<const KnownRating> known, std::uint32_t steps,
                   std::span<const Occasion> occasions, std::span<float> out) const;

  [[nodiscard]] const Fedcars& model() const { return model_; }

 private:
  [[nodiscard]] FedcarsHead ranking_head() const {
    return model_.options().chooses ? FedcarsHead::choice : FedcarsHead::rating;
  }
  // The person's own examples; choices need items that were not chosen, drawn once and for all.
  void add_ratings(UserIndex user, FedcarsWork& work) const;
  void adapt_to(UserIndex user, FedcarsWork& work) const;
  void add_choices(std::span<const ItemIndex> history, std::optional<UserIndex> user,
                   FedcarsWork& work) const;
  [[nodiscard]] float on_scale(float score) const;
  // What an item without a rating counts as: halfway from the middle of the scale to its end.
  [[nodiscard]] float liked() const {
    return 0.5f * (model_.devices().scale().highest - model_.devices().middle());
  }

  Fedcars model_;
  RowMatrix own_shared_;
  const RowMatrix* shared_;
};

}  // namespace sotto::model
