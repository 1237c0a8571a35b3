// How far a person's ratings, and an item's, lie above the mean of all: r ≈ μ + b_u + b_i.
//
// Solved in turn, items first: b_i = Σ(r − μ − b_u) / (λ_i + n_i), then b_u = Σ(r − μ − b_i) / (λ_u + n_u),
// each the exact minimum of Σ(r − μ − b_u − b_i)² + λ_uΣb_u² + λ_iΣb_i² for the other fixed (Koren 2010).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash.h"
#include "data/ids.h"
#include "model/ratings/rated_matrix.h"

namespace sotto::model {

struct BiasOptions {
  float user_reg = 15.0f;
  float item_reg = 10.0f;
  std::uint32_t passes = 10;
};

struct RatingBiases {
  double mean = 0.0;
  std::vector<double> users, items;

  // 0 for an item outside.
  [[nodiscard]] double item(std::uint32_t index) const { return index < items.size() ? items[index] : 0.0; }
  [[nodiscard]] double of(std::uint32_t user, std::uint32_t index) const {
    return mean + users[user] + item(index);
  }
  void add_numbers(Hasher& hasher) const {
    hasher.array(std::span(&mean, 1)).array(std::span(users)).array(std::span(items));
  }
  // That of somebody with these ratings; 0 without any.
  [[nodiscard]] double user_with(std::span<const Rated> history, float user_reg) const;
};

[[nodiscard]] RatingBiases fit_biases(const RatedMatrix& by_user, const BiasOptions& options);

}  // namespace sotto::model
