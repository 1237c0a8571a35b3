// WARP (Weston, Bengio and Usunier 2011): matrix factorisation whose steps weigh more the lower the consumed
// item stands.
//
// For an interaction (u, i) items j that u does not have are drawn until one violates the margin,
// x_uj > x_ui − 1, at most `max_trials` of them. After n draws i stands at about rank ⌊(|I| − 1) / n⌋, and
// the step goes down the slope of w (1 − x_ui + x_uj) + λ/2 (‖p‖² + ‖q_i‖² + ‖q_j‖²), w = ln(1 + rank) / ln(1
// + |I|). Where none violates, nothing moves. Laws: as model/central/sampled_sgd.h. Rows are laid out as in
// model/mf_recommender.h.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/row_matrix.h"
#include "model/central/sampled_sgd.h"

namespace sotto::model {

struct WarpOptions {
  std::uint32_t factors = 20;
  float learning_rate = 0.05f;
  float lambda = 0.005f;
  std::uint32_t max_trials = 50;
  float init_sd = 0.1f;
  std::uint64_t seed = 1;
};
[[nodiscard]] Status check(const WarpOptions& options);

// One step on three rows of `width` numbers, the last of an item's being its bias, which has no λ.
void warp_step(float* user, float* positive, float* negative, std::size_t width, float weight, float rate,
               float lambda);
// The weight of a violation after so many draws.
[[nodiscard]] float warp_weight(std::size_t catalogue, std::uint32_t draws);

class Warp {
 public:
  // `train` must outlive the object. Fails for bad options, or without interactions to learn from.
  [[nodiscard]] static Result<std::unique_ptr<Warp>> start(const Histories& train, std::size_t catalogue,
                                                           const WarpOptions& options);
  // Runs epoch number `epoch`. Its loss is the weighted margin that was missed, 0 where nothing violates.
  [[nodiscard]] Result<SampledEpoch> run_epoch(std::uint32_t epoch, Executor& executor);
  void restore(RowMatrix users, RowMatrix items);

  [[nodiscard]] const RowMatrix& users() const { return users_; }
  [[nodiscard]] const RowMatrix& items() const { return items_; }

 private:
  Warp(const Histories& train, std::size_t catalogue, const WarpOptions& options);

  WarpOptions options_;
  Membership consumed_;
  BprBlocks blocks_;
  RowMatrix users_;
  RowMatrix items_;
};

}  // namespace sotto::model
