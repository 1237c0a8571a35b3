// RP3β (Paudel et al. 2017): a walk of three steps over the graph of people and items, popular ends made less
// likely. W_ij = a_i^−α · Σ_{u has i and j} |x_u|^−α / a_j^β with a_i the number of people who have item i;
// each item keeps the k largest weights it leads to. The sum over people is PairCounts with person weights of
// power α: each device can norm its own part.
//
// Laws: weights kept are ordered by (weight descending, item ascending); any number of threads give the same
// floats.
#pragma once

#include "model/central/item_weights.h"
#include "model/pair_counts.h"

namespace sotto::model {

struct Rp3Options {
  float alpha = 0.5f;
  float beta = 0.2f;
  std::uint32_t neighbors = 1000;
};
[[nodiscard]] Status check(const Rp3Options& options);

// `pairs` are weighted with PersonWeight(options.alpha).
[[nodiscard]] Result<ItemWeights> fit_rp3beta(const PairCounts& pairs, const Rp3Options& options,
                                              Executor& executor);

}  // namespace sotto::model
