// BPR-MF (Rendle et al. 2009) where all data lies in one place: the yardstick for FPL.
//
// A step takes an interaction (u, i) of the training part, draws j from what the user does not have, and
// moves at once, all from the old values, with d = σ(−(x_ui − x_uj)):
//   p_u += α(d(q_i − q_j) − λ_u p_u)   q_i += α(d p_u − λ⁺ q_i), b_i += αd   q_j += α(−d p_u − λ⁻ q_j), b_j
//   −= αd
// An epoch is one step an interaction, in random order, cut into jobs that share no row (bpr_blocks.h).
// Up to 32 steps take their d from the rows as the first of them finds them; each then moves the rows as it
// finds them.
// Laws: the model after n epochs depends on options and data alone, not on threads; a user who has the whole
// catalogue is skipped.
// Rows are laid out as in model/mf_recommender.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/executor.h"
#include "base/row_matrix.h"
#include "data/membership.h"
#include "model/central/bpr_blocks.h"
#include "model/mf_recommender.h"

namespace sotto::model {

struct BprMfOptions {
  std::uint32_t factors = 20;
  float learning_rate = 0.05f;
  std::optional<float> user_reg;      // none: learning_rate / 20
  std::optional<float> positive_reg;  // none: learning_rate / 20
  std::optional<float> negative_reg;  // none: learning_rate / 200
  float init_sd = 0.1f;               // p, q and b start as N(0, sd²)
  std::uint32_t epochs = 30;
  std::uint32_t blocks = 0;  // see bpr_blocks.h
  std::uint64_t seed = 1;
  FoldInOptions fold_in;
};

[[nodiscard]] Status check(const BprMfOptions& options);

class BprMf {
 public:
  // `train` must outlive the object. Fails for bad options, or without interactions to learn from.
  [[nodiscard]] static Result<std::unique_ptr<BprMf>> start(const Histories& train, std::size_t catalogue,
                                                            const BprMfOptions& options);

  // The same from rows that somebody else made: factors are as many as they have, and init_sd does not count.
  [[nodiscard]] static Result<std::unique_ptr<BprMf>> start_at(const Histories& train, std::size_t catalogue,
                                                               BprMfOptions options, RowMatrix users,
                                                               RowMatrix items);

  // Runs epoch number `epoch` (0, 1, …). Its mean loss −ln σ(x_ui − x_uj) is ln 2 where nothing is learned, 0
  // where every pair stands right. Fails where the numbers leave the finite.
  struct Epoch {
    std::uint64_t steps = 0;
    std::int64_t loss_units = 0;  // of 2^-20
    [[nodiscard]] double mean_loss() const {
      return steps == 0 ? 0.0 : static_cast<double>(loss_units) * 0x1.0p-20 / static_cast<double>(steps);
    }
  };
  [[nodiscard]] Result<Epoch> run_epoch(std::uint32_t epoch, Executor& executor);

  // Goes back to parameters saved after some epoch.
  void restore(RowMatrix users, RowMatrix items);

  // The model as it is now; valid while this object lives.
  [[nodiscard]] std::unique_ptr<MfRecommender> view() const;

  [[nodiscard]] const RowMatrix& users() const { return users_; }
  [[nodiscard]] const RowMatrix& items() const { return items_; }

 private:
  BprMf(const Histories& train, std::size_t catalogue, const BprMfOptions& options, RowMatrix users,
        RowMatrix items);
  // Copies the items' rows into the order in which they are dealt, and back.
  void deal_rows(Executor& executor);
  void gather_rows(Executor& executor);
  [[nodiscard]] float* item_row(ItemIndex item);
  // Asks for the rows that a step will touch.
  void prefetch(const BprTriple& triple);
  // The draws of one job in one turn of the epoch; false where the numbers leave the finite.
  [[nodiscard]] bool run_job(const BprJob& job, std::uint32_t turn, Epoch& done);

  BprMfOptions options_;
  Membership consumed_;
  BprBlocks blocks_;
  RowMatrix users_;
  RowMatrix items_;
  RowMatrix dealt_;                   // rows of items during an epoch, set after set; or empty
  std::vector<std::uint32_t> place_;  // of each item in dealt_; empty: rows are where they always are
};

}  // namespace sotto::model
