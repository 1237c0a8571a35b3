// Item-kNN from pair counts alone, as a federation's server can: the neighbours that Item-kNN finds in the
// histories, to the last float (everybody counting 1).
#pragma once

#include "model/central/item_weights.h"
#include "model/pair_counts.h"

namespace sotto::model {

[[nodiscard]] Result<ItemWeights> fit_pair_knn(const PairCounts& pairs, const KnnOptions& options,
                                               Executor& executor);

}  // namespace sotto::model
