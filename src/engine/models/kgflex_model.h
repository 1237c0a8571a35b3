// KGFlex of a request: its options, what the devices hold, and the model as a recommender.
#pragma once

#include <memory>

#include "base/executor.h"
#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "engine/train/training.h"
#include "model/kgflex/kgflex.h"

namespace sotto {

[[nodiscard]] inline bool is_kgflex(ModelKind model) {
  return model == ModelKind::kgflex || model == ModelKind::kgflex_central;
}
[[nodiscard]] Status check_kgflex(const TrainRequest& request);
[[nodiscard]] ProfileOptions profile_options(const TrainRequest& request);

// The model with everybody's profiles on these data. The request has its people
// (engine/protect/training_consent.h). Fails where the split has no features.
[[nodiscard]] Result<Kgflex> make_kgflex(const TrainRequest& request, const Split& split, Executor& executor);

// From what a run directory holds; the sizes fit the model.
[[nodiscard]] Result<std::unique_ptr<Recommender>> rebuild_kgflex(const TrainRequest& request,
                                                                  const Split& split, Parameters parameters,
                                                                  Executor& executor);

}  // namespace sotto
