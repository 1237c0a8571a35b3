// Unmixing (B5): the rows of a KGFlex device are a mixture of the features of its items. The items whose
// features together explain the rows best are found by least squares, kept small (ridge): items that share a
// feature with a consumed one by chance are not needed for it and drop out.
//
// Law: rows that say nothing (all zero) give zeros.
#pragma once

#include <span>
#include <vector>

#include "data/item_features.h"

namespace sotto::privacy {

// How much each item is needed, one number an item; `said` is what the rows say, one number a feature. The
// `most_features` that say most are explained.
[[nodiscard]] std::vector<float> unmixed(const ItemFeatures& features, std::span<const float> said,
                                         std::size_t most_features);

}  // namespace sotto::privacy
