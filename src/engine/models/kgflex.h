// What KGFlex is told beside the plan's seed, epochs, factors, rates, cohort and triples, and the model with
// everybody's profiles.
#pragma once

#include <cstdint>
#include <optional>

#include "base/executor.h"
#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "model/kgflex/kgflex.h"

namespace sotto::engine {

struct KgflexSettings {
  GainKind gain = GainKind::information;
  std::optional<std::uint32_t> first_hop, second_hop;  // features a person keeps of each; none: 100
  bool all_features = false;                           // no such limits
  std::uint32_t negatives = 1;  // of the gain: examples that were not consumed, per consumed one
  float min_gain = 0.0f;
};

[[nodiscard]] ProfileOptions profile_options(const TrainRequest& request);

// The request has its people (engine/protect/training_consent.h). Fails where the split has no features.
[[nodiscard]] Result<Kgflex> make_kgflex(const TrainRequest& request, const Split& split, Executor& executor);

}  // namespace sotto::engine
