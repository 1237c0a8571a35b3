// The pairwise steps of training (FPL, BPR), compiled for several instruction sets as base/kernels.h. Rows
// are padded and aligned as in RowMatrix.
//
// Law: every target gives the same bits. Sums over a row follow the order of dot_rows(), with fused
// multiply-adds (targets without the instruction compute it); integers are rounded to nearest, ties to even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/layers.h"

namespace sotto::base::kernels {

// What the pairwise steps of one plan share.
struct PairRates {
  float fixed_scale;    // an update of 1 is this integer
  float learning_rate;  // α
  float user_reg;
  float positive_reg;
  float negative_reg;
  std::size_t stride;  // a multiple of 16
  std::size_t bias;    // column of the bias: not regularised, constant 1 in p
};

// At most so many steps a call. Those on a snapshot are computed side by side: alone each would wait for its
// own chain (dot product, sigmoid, new p), together they hide it.
inline constexpr std::size_t most_steps = 32;

// What some steps did, summed.
struct PairTotals {
  std::int64_t loss_units = 0;  // Σ −ln σ(x̂_uij) in units of 2^-20
  std::uint32_t crowded = 0;    // bit n: a sum of step n has a value of 2^30 or beyond and must be emptied
  bool finite = true;           // false: a difference of scores left ±1e30
};

// A pairwise step of a user row p = [p, 1] against the rows i (consumed) and j (not) of a snapshot.
struct PairStep {
  const float* positive;
  const float* negative;
  const float* own;
  float* moved;                // receives the step of p; may be `own`
  std::int32_t* sum_positive;  // the fixed-point update of row i is added here; null: it stays where it is
  std::int32_t* sum_negative;
};
// With d = σ(−x̂_uij): sum_negative += −d·p − λ⁻q_j, sum_positive += d·p − λ⁺q_i,
// moved += α(d(q_i − q_j) − λ_u p). Each update is an integer within ±step_limit (fixed_point.h). Steps of
// different users; sums may be shared, and have room for most_steps updates where they were not crowded
// before.
PairTotals pair_steps(std::span<const PairStep> steps, const PairRates& rates);

// A pairwise step that changes its rows.
struct RowStep {
  float* own;
  float* positive;
  float* negative;
  bool send_positive;  // false: row i stays as it is
};
// The steps of a call take their errors d from the rows as the call finds them, then change the rows one
// after the other. Where no two share a row that is the same as step by step.
//
// A round of one user and one triple: the rows i and j receive α times their fixed-point update.
PairTotals round_steps(std::span<const RowStep> steps, const PairRates& rates);
// A step of central BPR: the same without fixed point.
PairTotals central_steps(std::span<const RowStep> steps, const PairRates& rates);

// Looks the chosen target's functions up again; use_target() calls it.
void refresh_pair_kernels();

}  // namespace sotto::base::kernels
