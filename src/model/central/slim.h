// SLIM (Ning and Karypis 2011): each item's column of X explained by the others, with an elastic net.
//   w = argmin ½‖x_j − Xw‖² + ½ l2 ‖w‖² + l1 |w|₁   with w_j = 0 and, unless told otherwise, w ≥ 0
// by coordinate descent on XᵀX, one column after the other; of each column the k weights of largest size are
// kept.
//
// Laws: a column is a function of the pair counts alone; any number of threads give the same floats. Unless
// most_passes end it first, a descent stops when no coordinate moves by more than `tolerance` · x_jᵀx_j, as a
// gradient, in one pass.
#pragma once

#include "model/central/item_weights.h"
#include "model/pair_counts.h"

namespace sotto::model {

struct SlimOptions {
  float l1 = 1.0f;
  float l2 = 100.0f;
  bool non_negative = true;
  std::uint32_t neighbors = 200;
  double tolerance = 1e-3;
  std::uint32_t most_passes = 50;  // over a column's coordinates, or those of them that are not zero
};
[[nodiscard]] Status check(const SlimOptions& options);

[[nodiscard]] Result<ItemWeights> fit_slim(const PairCounts& pairs, const SlimOptions& options,
                                           Executor& executor);

}  // namespace sotto::model
