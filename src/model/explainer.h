// Explainer: a recommender that can say why. A score is a sum over features of the item; each feature's part
// of it is a reason. A person can veto a feature: it then counts in no score of theirs.
//
// Laws: the parts of all reasons for an item add up to its score (up to rounding, and less the item's bias
// where the model has one); reasons come with the largest part first, of equal parts the smaller feature; a
// vetoed feature is no reason, and without vetoes the scores are those of the Recommender.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/result.h"
#include "data/ids.h"
#include "data/item_features.h"

namespace sotto::model {

struct Reason {
  FeatureIndex feature;
  float part = 0.0f;    // of the score
  float weight = 0.0f;  // how much the person cares about the feature at all: k_uf, or the profile's weight
};

// In the order of the law above.
inline void sort_reasons(std::vector<Reason>& reasons) {
  std::sort(reasons.begin(), reasons.end(), [](const Reason& a, const Reason& b) {
    return a.part != b.part ? a.part > b.part : a.feature.value < b.feature.value;
  });
}

class Explainer {
 public:
  Explainer() = default;
  Explainer(const Explainer&) = delete;
  Explainer& operator=(const Explainer&) = delete;
  virtual ~Explainer() = default;

  [[nodiscard]] virtual std::vector<Reason> reasons(UserIndex user, ItemIndex item) const = 0;
  // The same for somebody who was not there at training.
  // They are learned once for all the items.
  [[nodiscard]] virtual std::vector<std::vector<Reason>> reasons_for_history(
      std::span<const ItemIndex> history, std::span<const ItemIndex> items) const = 0;
  // From now on these features (ascending) count in nobody's scores. Called before scores are asked for, not
  // beside them.
  virtual void veto(std::vector<FeatureIndex> features) = 0;
};

}  // namespace sotto::model
