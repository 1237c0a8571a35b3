// What a request says of KGFlex alone.
#pragma once

#include <cstdint>
#include <optional>

#include "model/kgflex/gain.h"

namespace sotto {

// What KGFlex is told beside the plan's seed, epochs, factors, rates, cohort and triples.
struct KgflexRequest {
  GainKind gain = GainKind::information;
  std::optional<std::uint32_t> first_hop, second_hop;  // features a person keeps of each; none: 100
  bool all_features = false;                           // no such limits
  std::uint32_t negatives = 1;  // of the gain: examples that were not consumed, a consumed one
  float min_gain = 0.0f;
};

}  // namespace sotto
