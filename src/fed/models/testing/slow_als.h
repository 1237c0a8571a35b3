// For tests: a small task of federated ALS, and its least squares the slow and obvious way, in doubles.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/row_matrix.h"
#include "model/als.h"

namespace sotto::fed {

inline v1::TaskSpec als_spec(std::uint32_t items) {
  v1::TaskSpec spec;
  spec.set_name("small");
  spec.set_model("fedals");
  spec.set_factors(3);
  spec.set_lambda(0.5f);
  spec.set_confidence(3.0f);
  spec.set_reg_power(0.25f);
  spec.set_init_sd(0.4f);
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  spec.set_items(items);
  return spec;
}

using SlowRows = std::vector<std::vector<double>>;

inline SlowRows slow_rows(const RowMatrix& rows) {
  SlowRows all;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    all.emplace_back(rows.values(row).begin(), rows.values(row).end() - 1);
  return all;
}

// The row that goes with the chosen ones of `all`: (Σ_all y yᵀ + α Σ_own y yᵀ + λ I) x = (1 + α) Σ_own y.
inline std::vector<double> slow_solution(const AlsOptions& options, const SlowRows& all,
                                         const std::vector<std::size_t>& chosen) {
  const std::size_t size = options.factors;
  const double alpha = options.confidence;
  const double count = static_cast<double>(chosen.size());
  const double reg =
      options.lambda * std::pow(alpha * count + static_cast<double>(all.size()), options.reg_power);
  SlowRows system(size, std::vector<double>(size + 1, 0.0));  // the right side stands last
  for (std::size_t i = 0; i < size; ++i) {
    system[i][i] += reg;
    for (const auto& y : all)
      for (std::size_t j = 0; j < size; ++j) system[i][j] += y[i] * y[j];
    for (const std::size_t own : chosen) {
      for (std::size_t j = 0; j < size; ++j) system[i][j] += alpha * all[own][i] * all[own][j];
      system[i][size] += (1.0 + alpha) * all[own][i];
    }
  }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t row = 0; row < size; ++row) {
      if (row == i) continue;
      const double times = system[row][i] / system[i][i];
      for (std::size_t j = i; j <= size; ++j) system[row][j] -= times * system[i][j];
    }
  std::vector<double> solution;
  for (std::size_t i = 0; i < size; ++i) solution.push_back(system[i][size] / system[i][i]);
  return solution;
}

}  // namespace sotto::fed
