// Alternating least squares on implicit data (Hu, Koren and Volinsky 2008): the pieces that central iALS,
// federated ALS and FCF share.
//
// The loss is Σ_ui c_ui (x_ui − p_u·q_i)² + Σ_u λ_u‖p_u‖² + Σ_i λ_i‖q_i‖², x_ui = 1 and c_ui = 1 + α where u
// has i, 0 and 1 elsewhere. With one side fixed each row of the other is the solution of a small system,
//   (Σ_all y yᵀ + α Σ_own y yᵀ + λ I) x = (1 + α) Σ_own y,
// so that sums over rows are all it needs. λ of a row is λ · (α · own + all)^ν (Rendle et al. 2021); ν = 0 is
// one λ for all. Laws: a row depends on its own sums alone, in the order of the rows it is summed over.
// Rows are laid out as in model/mf_recommender.h, with a bias of 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/executor.h"
#include "base/normal_kernels.h"
#include "base/result.h"
#include "base/row_matrix.h"

namespace sotto::model {

struct AlsOptions {
  std::uint32_t factors = 20;
  float lambda = 0.01f;
  float confidence = 1.0f;  // α
  float reg_power = 0.0f;   // ν
  float init_sd = 0.1f;     // q starts as N(0, sd²)
  std::uint64_t seed = 1;
};
[[nodiscard]] Status check(const AlsOptions& options);

// Item rows as training begins, and a user's row before it is solved.
[[nodiscard]] RowMatrix start_items(const AlsOptions& options, std::size_t catalogue);
void start_user(std::uint32_t factors, float* own);

// A run left the finite numbers, or its system has no solution in floats.
[[nodiscard]] Error no_solution(const char* model, std::uint32_t round);

// One side of the factorisation as solves of the other need it: its rows with a 1 at the end, and the upper
// triangle of Σ y yᵀ over all of them.
class FactorSide {
 public:
  FactorSide() = default;
  // Sums over the rows in an order that does not depend on the executor.
  FactorSide(const RowMatrix& rows, Executor& executor);
  // As a device receives both.
  FactorSide(RowMatrix rows, RowMatrix gram);

  [[nodiscard]] const RowMatrix& rows() const { return rows_; }
  [[nodiscard]] const RowMatrix& gram() const { return gram_; }
  [[nodiscard]] std::size_t factors() const { return rows_.width() - 1; }

 private:
  RowMatrix rows_;
  RowMatrix gram_;
};

// Solves rows one at a time; keeps its memory. One thread at a time.
class AlsSolver {
 public:
  explicit AlsSolver(const AlsOptions& options);

  struct Outcome {
    double loss = 0.0;  // of the solved row: its part of the squared error, and λ‖x‖²
    bool solved = true;
  };
  // The row that goes with the chosen ones of `side`, into out[0 … F − 1]. `all` rows the side counts.
  template <class Index>
  [[nodiscard]] Outcome solve(const FactorSide& side, std::span<const Index> chosen, std::size_t all,
                              float* out) {
    rows_.clear();
    for (const Index index : chosen) rows_.push_back(side.rows().row(index.value));
    return solve_rows(side.gram(), all, out);
  }
  // A square of zeros for the sums of [y, 1][y, 1]ᵀ, to be filled for solve_sums().
  [[nodiscard]] RowMatrix& clear_sums();
  // The same from sums: `own` rows went into them.
  [[nodiscard]] Outcome solve_sums(const RowMatrix& gram, double own, std::size_t all, float* out);

 private:
  [[nodiscard]] Outcome solve_rows(const RowMatrix& gram, std::size_t all, float* out);

  AlsOptions options_;
  RowMatrix sums_;
  std::vector<const float*> rows_;
};

// A loss in units of 2^-20, so that sums of many do not depend on their order.
[[nodiscard]] std::int64_t loss_units_of(double loss);

}  // namespace sotto::model
