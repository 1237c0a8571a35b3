// Unmixing (B5): a KGFlex update is a mixture. A feature's row is the sum of what its items pull, so the
// items whose features together explain the rows best are found by least squares, kept small (ridge): items
// that share a feature with a consumed one by chance are not needed for it and drop out.
//
// Law: pulls that are all zero give zeros.
#pragma once

#include <span>
#include <vector>

#include "data/kg/item_features.h"

namespace sotto {

// How strongly each item pulls, one number an item; `pulls` is one a feature. The strongest `most_features`
// are explained.
[[nodiscard]] std::vector<float> unmixed(const ItemFeatures& features, std::span<const float> pulls,
                                         std::size_t most_features);

}  // namespace sotto
