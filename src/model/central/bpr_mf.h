// BPR-MF (Rendle et al. 2009) where all data lies in one place: the yardstick for FPL.
//
// A step draws an interaction (u, i) uniformly from the training part and j uniformly from the rest of the
// catalogue, and moves at once, all from the old values, with d = σ(−(x_ui − x_uj)):
//   p_u += α(d(q_i − q_j) − λ_u p_u)   q_i += α(d p_u − λ⁺ q_i)   q_j += α(−d p_u − λ⁻ q_j)   b_i += αd   b_j
//   −= αd
// An epoch is as many steps as there are interactions. Laws: epoch n draws from a stream of its own, so the
// model after n epochs depends on options and data alone; a user who has the whole catalogue is skipped.
// Rows are laid out as in model/mf_recommender.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "base/row_matrix.h"
#include "data/membership.h"
#include "model/mf_recommender.h"

namespace sotto {

struct BprMfOptions {
  std::uint32_t factors = 20;
  float learning_rate = 0.05f;
  std::optional<float> user_reg;      // none: learning_rate / 20
  std::optional<float> positive_reg;  // none: learning_rate / 20
  std::optional<float> negative_reg;  // none: learning_rate / 200
  float init_sd = 0.1f;               // p, q and b start as N(0, sd²)
  std::uint32_t epochs = 30;
  std::uint64_t seed = 1;
  FoldInOptions fold_in;
};

[[nodiscard]] Status check(const BprMfOptions& options);

class BprMf {
 public:
  // `train` must outlive the object. Fails for bad options, or without interactions to learn from.
  [[nodiscard]] static Result<std::unique_ptr<BprMf>> start(const Histories& train, std::size_t catalogue,
                                                            const BprMfOptions& options);

  // Runs epoch number `epoch` (0, 1, …) and returns the mean loss −ln σ(x_ui − x_uj): ln 2 where nothing
  // is learned, 0 where every pair stands right. Fails where the numbers leave the finite.
  [[nodiscard]] Result<double> run_epoch(std::uint32_t epoch);
  // Runs all epochs. `look` is called after each with how many are done, and ends it by returning false.
  [[nodiscard]] Status run(const std::function<bool(std::uint32_t)>& look = {});

  // Goes back to parameters saved after some epoch.
  void restore(RowMatrix users, RowMatrix items);

  // The model as it is now; valid while this object lives.
  [[nodiscard]] std::unique_ptr<MfRecommender> view() const;
  // The model for good; this object is used up.
  [[nodiscard]] std::unique_ptr<MfRecommender> finish() &&;

  [[nodiscard]] const RowMatrix& users() const { return users_; }
  [[nodiscard]] const RowMatrix& items() const { return items_; }

 private:
  struct Triple {
    UserIndex user;
    ItemIndex positive;
    ItemIndex negative;
  };
  static constexpr std::size_t batch_triples = 128;

  BprMf(const Histories& train, std::size_t catalogue, const BprMfOptions& options);
  // Fills `triples` with as many of `draws_left` draws as fit, and asks the memory for their rows ahead of
  // time. Draws do not depend on the parameters, so drawing early changes nothing.
  std::size_t draw(Stream& draws, std::uint32_t& draws_left, Triple* triples) const;

  const Histories& train_;
  BprMfOptions options_;
  Membership consumed_;
  std::vector<UserIndex> owner_;  // of each interaction
  RowMatrix users_;
  RowMatrix items_;
};

// The rates of one step.
struct BprRates {
  float learning_rate = 0.0f;
  float user_reg = 0.0f;      // λ_u
  float positive_reg = 0.0f;  // λ⁺
  float negative_reg = 0.0f;  // λ⁻
};

// One step on three padded rows of `factors` + 1 numbers; returns d as it was before, or not a number
// (and changes nothing) where the scores left the finite.
float bpr_step(float* user, float* positive, float* negative, std::size_t factors, std::size_t stride,
               const BprRates& rates);

}  // namespace sotto
