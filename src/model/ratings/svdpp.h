// SVD++ (Koren 2008): r̂ = μ + b_u + b_i + q_i·(p_u + |N|^-½ Σ_{j∈N} y_j), where N is what the person rated at
// all: that somebody rated an item says something beside how.
//
// Learned record by record, person after person in another order each epoch, on ½(r − r̂)² + ½λ(b_u² + b_i² +
// |p_u|² + |q_i|² + Σ_N |y_j|²) a record. A record moves all y of the person by the same step, so that their
// sum and what becomes of each are carried along, and written into the y once after the person: exact, at one
// pass over N.
//
// Laws: the same bytes for the same seed. An item outside: μ + b_u; somebody without ratings: μ + b_i.
// Somebody new is their y at once, and learns b and p by as many passes over their ratings as there were
// epochs.
#pragma once

#include <memory>

#include "model/ratings/rating_model.h"
#include "model/ratings/sgd_options.h"

namespace sotto::model {

struct SvdppParameters {
  double mean = 0.0;
  std::vector<double> user_biases, item_biases;
  FactorTable users, items, implicit;
  void add_numbers(Hasher& hasher) const {
    hasher.array(std::span(&mean, 1)).array(std::span(user_biases)).array(std::span(item_biases));
    hasher.array(users.values()).array(items.values()).array(implicit.values());
  }
};

// A person's records once through; options give rate and λ.
void svdpp_pass(SvdppParameters& parameters, std::uint32_t user, std::span<const Rated> records,
                const SgdOptions& options);

class Svdpp final : public RatingModel {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Svdpp>> fit(const RatingData& data, const SgdOptions& options);
  // The cosine of the two items' vectors.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override { parameters_.add_numbers(hasher); }

 private:
  Svdpp(const RatingData& data, const SgdOptions& options);
  void train();
  void estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                    std::span<float> out) const override;

  SgdOptions options_;
  SvdppParameters parameters_;
};

}  // namespace sotto::model
