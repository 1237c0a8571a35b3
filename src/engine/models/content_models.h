// The models that know items by their features and are not federated: VSM (made in one go) and kaHFM (trained
// step by step). Both look at split.features.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "model/central/kahfm.h"
#include "model/recommender.h"

namespace sotto {

[[nodiscard]] Result<std::unique_ptr<Recommender>> make_vsm(const TrainRequest& request, const Split& split);
[[nodiscard]] Result<std::unique_ptr<BprMf>> start_kahfm(const TrainRequest& request, const Split& split);

// The settings and the features that decide the model, as text: part of its name.
[[nodiscard]] std::string vsm_settings(const TrainRequest& request, const Split& split);
// Of a row of kaHFM; 0 where the split has no features.
[[nodiscard]] std::size_t kahfm_row_width(const Split& split);

}  // namespace sotto
