// The plainest predictions, which everything must beat: means, and biases around the mean of all.
//
//   all      the mean μ of all ratings, for everybody and everything
//   user     the mean of the person's ratings, or μ
//   item     the mean of the item's ratings, or μ
//   popular  the same predictions, but lists rank by how many rated an item: what the Most Popular of
//            CaseRecommender means where errors are asked for
//
// Lists of `all` and `user` say nothing: all items are level, and those of the smallest number come first.
#pragma once

#include <memory>

#include "model/ratings/rating_biases.h"
#include "model/ratings/rating_model.h"

namespace sotto::model {

enum class MeanOf : std::uint8_t { all, user, item, popular };

class RatingMeans final : public RatingModel {
 public:
  [[nodiscard]] static Result<std::unique_ptr<RatingMeans>> fit(const RatingData& data, MeanOf of);

  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override;
  void score_items(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void score_history(std::span<const ItemIndex> history, std::span<float> out) const override;
  // Of means of all never; of others where there is such a mean.
  [[nodiscard]] bool knows(UserIndex user, ItemIndex item) const override;
  void add_numbers(Hasher& hasher) const override {
    const double of_all = mean();
    hasher.array(std::span(&of_all, 1))
        .array(std::span(user_means_))
        .array(std::span(item_means_))
        .array(std::span(popularity_));
  }

 private:
  RatingMeans(const RatingData& data, MeanOf of);
  void estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                    std::span<float> out) const override;
  void estimate_for(double user_mean, std::span<const ItemIndex> items, std::span<float> out) const;

  MeanOf of_;
  std::vector<double> user_means_, item_means_;  // μ where there are no ratings
  std::vector<float> popularity_;
};

// μ + b_u + b_i. An item outside: μ + b_u; somebody without ratings: μ + b_i.
class BiasModel final : public RatingModel {
 public:
  [[nodiscard]] static Result<std::unique_ptr<BiasModel>> fit(const RatingData& data,
                                                              const BiasOptions& options);
  void add_numbers(Hasher& hasher) const override { biases_.add_numbers(hasher); }

 private:
  BiasModel(const RatingData& data, const BiasOptions& options);
  void estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                    std::span<float> out) const override;

  BiasOptions options_;
  RatingBiases biases_;
};

// Fails for a regularisation that is negative or not a number.
[[nodiscard]] Status check(const BiasOptions& options);

}  // namespace sotto::model
