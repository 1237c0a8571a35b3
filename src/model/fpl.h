// FPL: federated pair-wise learning (thesis ch. 4).
//
// Shared: one row an item, [q_0 … q_{F−1}, b]. Private: p_u, kept as [p_0 … p_{F−1}, 1], so that the
// score b_i + p_u·q_i is one dot product of two padded rows.
// A visit draws T triples (i consumed, j not) and for each, with d = σ(−x̂_uij):
//   Δq_j = −d·p − λ⁻q_j, Δb_j = −d      Δq_i = d·p − λ⁺q_i, Δb_i = d      p += α(d(q_i − q_j) − λ_u p)
// Item rows stay the received snapshot for the whole visit. `sequential` moves p after each triple
// (the authors' code), `batch` once at the end by the sum (thesis eq. 4.4 and 4.7).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "base/kernels.h"
#include "base/pair_kernels.h"
#include "base/result.h"
#include "base/rng.h"
#include "model/federated_model.h"

namespace sotto::model {

enum class LocalSteps : std::uint8_t { sequential, batch };
[[nodiscard]] Result<LocalSteps> parse_local_steps(const std::string& text);
[[nodiscard]] const char* to_string(LocalSteps local);

struct FplOptions {
  std::uint32_t factors = 20;
  float learning_rate = 0.05f;    // α
  float user_reg = 0.0025f;       // λ_u; the papers: α/20
  float positive_reg = 0.0025f;   // λ⁺; the papers: α/20
  float negative_reg = 0.00025f;  // λ⁻; the papers: α/200
  float init_sd = 0.1f;           // p, Q and b start as N(0, sd²)
  LocalSteps local = LocalSteps::sequential;
};

[[nodiscard]] Status check(const FplOptions& options);

class Fpl {
 public:
  Fpl(const FplOptions& options, std::size_t catalogue, std::uint64_t seed)
      : options_(options),
        catalogue_(catalogue),
        stride_(RowMatrix::stride_for(options.factors + 1)),
        seed_(seed),
        rows_are_far_(catalogue * stride_ * sizeof(float) > second_cache_bytes) {}

  // --- the server's half ---
  [[nodiscard]] std::size_t shared_rows() const { return catalogue_; }
  [[nodiscard]] std::size_t shared_width() const { return options_.factors + 1; }
  [[nodiscard]] RowMatrix start_shared() const;
  // Θ += α Σ ΔΘ for one row. `sum` are the released integers, of 32 or 64 bits.
  template <class Integer>
  void apply(const Integer* sum, FixedPoint fixed, float* row) const {
    kernels::apply_row(row, sum, options_.learning_rate * (1.0f / fixed.scale()), stride_);
  }

  // --- the device's half ---
  [[nodiscard]] std::size_t private_width() const { return options_.factors + 1; }
  void start_private(UserIndex user, float* own) const;
  // Visits of different users, with equally many pairs; at most kernels::most_steps.
  template <class Sink>
  [[nodiscard]] VisitReport fit(std::span<const Visit> visits, std::span<Sink> sinks) const;
  template <class Sink>
  [[nodiscard]] VisitReport fit_once(std::span<const SoloVisit> visits, const RowMatrix& shared,
                                     Sink& sink) const;
  // Rounds of one user and one triple that share no row; at most kernels::most_steps.
  [[nodiscard]] VisitReport play_solo(std::span<const SoloVisit> visits, FixedPoint fixed,
                                      RowMatrix& shared) const;
  // Asks for the memory that a pair will touch.
  void prefetch(const RowMatrix& shared, const Pair& pair) const {
    for (std::size_t k = 0; k < stride_; k += row_lanes) {
      __builtin_prefetch(shared.row(pair.positive.value) + k);
      __builtin_prefetch(shared.row(pair.negative.value) + k);
    }
  }

 private:
  // Shared rows and their sums that stay in the second cache need not be asked for early.
  static constexpr std::size_t second_cache_bytes = std::size_t{1} << 20;

  // One triple's rows, and where its update goes if consent lets it out.
  template <class Sink>
  kernels::PairStep open(const Visit& visit, const Pair& pair, Sink& sink) const;
  [[nodiscard]] kernels::PairRates rates(float fixed_scale) const {
    return {fixed_scale,           options_.learning_rate, options_.user_reg,
            options_.positive_reg, options_.negative_reg,  stride_,
            options_.factors};
  }

  FplOptions options_;
  std::size_t catalogue_;
  std::size_t stride_;
  std::uint64_t seed_;
  bool rows_are_far_;
};

}  // namespace sotto::model

#include "model/fpl_fit.h"
