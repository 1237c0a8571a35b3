// What a plan says of criteria: who counts how much in the sums of a federated model (fed/criteria).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/layers.h"

namespace sotto::engine {

struct CriteriaRequest {
  std::string order;                        // "size>diversity"; empty: all devices count alike
  std::string score;                        // empty: prioritized
  std::vector<double> weights;              // of the score
  std::optional<std::uint32_t> size_bound;  // records of who counts fully by size; none: the longest told
  std::string trust;                        // a file of user and trust; who is not in it is trusted
  std::string quality;                      // the category whose share of a history is its quality

  [[nodiscard]] bool asked() const { return !order.empty(); }
};

// How a run's label names a setting of [criteria] in which it differs from others: "criteria size>novelty",
// "no criteria", "score mean". The plan is flat: "criteria.order" → "size>novelty". Empty: nothing to say.
[[nodiscard]] std::string criteria_setting(const std::map<std::string, std::string>& plan,
                                           const std::string& key);

}  // namespace sotto::engine
