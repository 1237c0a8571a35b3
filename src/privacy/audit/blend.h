// Blend: how an attacker who knows some people's histories (accounts of its own, friends, leaks) learns to
// weigh what it saw against what everybody knows, the popularity of items. Logistic regression of "consumed"
// on the prior and one or more kinds of evidence. With all kinds at once this is A4, shadow training: the
// known devices are the shadows (after IMIA, Yuan et al. 2023, where they are simulated).
//
// Law: evidence that does not help on the known people (a gain in AUC of two standard errors) is dropped: the
// blend is then the prior, ranking by ranking. So an attacker never does worse than A0 for listening to
// noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/ids.h"

namespace sotto::privacy {

// One person's numbers: the first column is the prior; each has one number an item.
struct BlendCase {
  std::vector<std::vector<float>> columns;
  std::span<const ItemIndex> history;  // ascending; of the known only
};

class Blend {
 public:
  // At least one case; all have equally many columns and items.
  [[nodiscard]] static Blend learn(std::span<const BlendCase> known);

  [[nodiscard]] bool uses_evidence() const { return uses_evidence_; }
  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  [[nodiscard]] std::vector<float> score(std::span<const std::vector<float>> columns) const;

 private:
  std::vector<double> weights_;  // one a column, then the constant
  bool uses_evidence_ = false;
};

// Evidence made alike between people: mean 0 and deviation 1 over the catalogue; all zero where it is
// constant.
[[nodiscard]] std::vector<float> standardised(std::vector<float> evidence);
// The same for votes, of which the first says more than the tenth.
[[nodiscard]] std::vector<float> log_votes(std::vector<float> votes);

}  // namespace sotto::privacy
