// NMF for ratings: r̂ = p_u·q_i with factors that are never below 0, so that each can be read as a taste that
// only adds. Only given ratings count.
//
// Multiplicative steps (Lee and Seung 2001 over the given ratings, with λ as Luo et al. 2014), all users and
// then all items an epoch: p_uf ← p_uf · Σ r q_if / (Σ r̂ q_if + λ n_u p_uf), and likewise q. They minimise
// Σ(r − r̂)² + λ(Σ n_u|p_u|² + Σ n_i|q_i|²); none raises it.
// Laws: all factors ≥ 0; the same bytes for the same seed (and one thread). An item outside: the mean of the
// person's ratings; somebody without ratings: the mean of the item's. Somebody new takes as many steps for p
// alone.
#pragma once

#include <memory>

#include "model/ratings/rating_model.h"
#include "model/ratings/sgd_options.h"

namespace sotto::model {

struct NmfOptions {
  std::uint32_t factors = 15;
  std::uint32_t epochs = 50;
  float reg = 0.1f;
  std::uint64_t seed = 1;
};

// One multiplicative step of one row, given the table its columns have their factors in.
void nmf_step(std::span<double> row, std::span<const Rated> ratings, const FactorTable& columns, double reg);

class Nmf final : public RatingModel {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Nmf>> fit(const RatingData& data, const NmfOptions& options);
  // The cosine of the two items' vectors.
  [[nodiscard]] Status similar(ItemIndex item, std::span<float> out) const override;
  void add_numbers(Hasher& hasher) const override {
    hasher.array(users_.values()).array(items_.values()).array(std::span(item_means_));
  }

  [[nodiscard]] const FactorTable& users() const { return users_; }
  [[nodiscard]] const FactorTable& items() const { return items_; }

 private:
  Nmf(const RatingData& data, const NmfOptions& options);
  void estimate(UserIndex user, std::span<const ItemIndex> items, std::span<float> out) const override;
  void estimate_new(std::span<const Rated> history, std::span<const ItemIndex> items,
                    std::span<float> out) const override;
  void estimate_for(std::span<const double> vector, std::span<const Rated> history,
                    std::span<const ItemIndex> items, std::span<float> out) const;

  NmfOptions options_;
  FactorTable users_, items_;
  std::vector<double> item_means_;
};

}  // namespace sotto::model
