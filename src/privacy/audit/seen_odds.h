// SeenOdds (B3): how much more often a feature's row is seen of people who consumed an item with the feature
// than of others, counted on people whose history is known. An item's evidence is the sum over its features
// of the log odds of what was seen, as naive Bayes has it.
//
// Law: a feature that nobody known has shown counts as features do on average.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/ids.h"
#include "data/item_features.h"

namespace sotto::privacy {

class SeenOdds {
 public:
  // `features` outlive it.
  explicit SeenOdds(const ItemFeatures& features);

  // `seen` has one entry a feature, 1 where its row was seen.
  void add(std::span<const std::uint8_t> seen, std::span<const ItemIndex> history);
  // One number an item.
  [[nodiscard]] std::vector<float> score(std::span<const std::uint8_t> seen) const;

 private:
  // Pairs of a known person and an item with the feature: all, and those where its row was seen.
  struct Tally {
    std::int64_t all = 0;
    std::int64_t seen = 0;
  };

  const ItemFeatures* features_;
  std::vector<Tally> consumed_, others_;  // one a feature
};

}  // namespace sotto::privacy
