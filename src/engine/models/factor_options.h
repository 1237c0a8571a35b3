// A request as the options of each factor model, with the defaults that differ from model to model.
#pragma once

#include "base/result.h"
#include "engine/plan/request.h"
#include "model/central/bpr_mf.h"
#include "model/central/ials.h"
#include "model/central/logistic_mf.h"
#include "model/central/warp.h"
#include "model/fcf.h"

namespace sotto {

[[nodiscard]] BprMfOptions bpr_options(const TrainRequest& request);
[[nodiscard]] AlsOptions als_options(const TrainRequest& request);  // ials, fedals and the devices of fcf
[[nodiscard]] FcfOptions fcf_options(const TrainRequest& request);
[[nodiscard]] WarpOptions warp_options(const TrainRequest& request);
[[nodiscard]] LogisticMfOptions logistic_options(const TrainRequest& request);

// Whether a user's row is an exact solution, so that somebody new gets one too.
[[nodiscard]] bool solves_exactly(ModelKind model);

// What can be wrong with the options of the request's model.
[[nodiscard]] Status check_factor_options(const TrainRequest& request);

}  // namespace sotto
