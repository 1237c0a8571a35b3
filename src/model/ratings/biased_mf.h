// Biased MF (Koren, Bell and Volinsky 2009): r̂ = μ + b_u + b_i + p_u·q_i, by stochastic gradient descent over
// the records, in another order each epoch, on ½(r − r̂)² + ½λ(b_u² + b_i² + |p_u|² + |q_i|²) a record.
//
// Laws: the same bytes for the same seed. An item outside: μ + b_u; somebody without ratings: μ + b_i.
// Somebody new learns b and p by as many passes over their ratings as there were epochs; the items stay.
#pragma once

#include <memory>

#include "model/ratings/rating_model.h"
#include "model/ratings/sgd_options.h"

namespace sotto::model {

// The private half: somebody's bias and vector.
struct RatingTaste {
  double& bias;
  std::span<double> vector;
};

struct BiasedMfParameters {
  double mean = 0.0;
  std::vector<double> user_biases, item_biases;
  FactorTable users, items;

  [[nodiscard]] RatingTaste taste(std::uint32_t user) { return {user_biases[user], users.of(user)}; }
  void add_numbers(Hasher& hasher) const {
    hasher.array(std::span(&mean, 1)).array(std::span(user_biases)).array(std::span(item_biases));
    hasher.array(users.values()).array(items.values());
  }
};

// One step along the gradient of one record; options give rate and λ.
void biased_mf_step(BiasedMfParameters& parameters, std::uint32_t user, const Rated& record,
                    const SgdOptions& options);

class BiasedMf final : public RatingModel {
 public:
  [[nodiscard]] static Result<std::unique_ptr<BiasedMf>> fit(const RatingData& data,
                                                             const SgdOptions& options);
  // The cosine of the two items' vectors.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override { parameters_.add_numbers(hasher); }

 private:
  BiasedMf(const RatingData& data, const SgdOptions& options);
  void train();
  void estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                    std::span<float> out) const override;

  SgdOptions options_;
  BiasedMfParameters parameters_;
};

// What a person's side and the items' side of a factor model of ratings say of items; of those outside the
// catalogue the person's bias alone speaks. Shared with SVD++.
struct ItemSide {
  double mean;
  std::span<const double> biases;  // one an item of the catalogue
  const FactorTable& vectors;
};
struct PersonSide {
  double bias;
  std::span<const double> vector;
};
void estimate_by(const ItemSide& side, const PersonSide& person, std::span<const ItemIndex> items,
                 std::span<float> out);

// Cosines of row `item` with all rows; 0 with an empty one. Shared by the factor models of ratings.
void cosines_to(const FactorTable& rows, std::uint32_t item, std::span<float> out);

}  // namespace sotto::model
