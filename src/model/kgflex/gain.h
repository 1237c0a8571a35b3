// How much a feature tells about a person's choices (thesis 6.4.2): the fall of uncertainty over "consumed or
// not" when one knows whether an item has the feature.
//
// Positive and negative examples weigh the same in all, however many there are of each; with equally many the
// information gain is eq. 6.7. Laws: 0 ≤ gain ≤ 1; a feature of all items, or of equal shares of both kinds,
// has none; one that parts the two kinds has 1, by every kind of gain; swapping the two kinds changes
// nothing.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sotto::model {

enum class GainKind : std::uint8_t {
  information,  // H(D) − H(D|f), in bits
  gini,         // fall of the Gini impurity 2q(1 − q), doubled to end at 1
  ratio,        // the information gain over the entropy of the feature itself
};
[[nodiscard]] Result<GainKind> parse_gain(const std::string& text);
[[nodiscard]] const char* to_string(GainKind kind);

// Of `positives` and `negatives` examples, both above 0, so many have the feature.
struct FeatureCounts {
  std::uint32_t positives_with = 0, negatives_with = 0;
  std::uint32_t positives = 0, negatives = 0;
};
[[nodiscard]] double feature_gain(GainKind kind, const FeatureCounts& counts);

}  // namespace sotto::model
