// A request as the options of BPR-MF, which kaHFM learns by too.
#pragma once

#include "engine/plan/request.h"
#include "model/central/bpr_mf.h"

namespace sotto::engine {

[[nodiscard]] BprMfOptions bpr_options(const TrainRequest& request);

}  // namespace sotto::engine
