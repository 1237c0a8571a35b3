// The central models of ratings (model/ratings): made in one go from a split with ratings, and made again
// when a run is opened.
#pragma once

#include <memory>
#include <string>

#include "base/executor.h"
#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "model/recommender.h"

namespace sotto {

[[nodiscard]] bool is_rating_model(ModelKind model);
// Whether it learns record by record, at the request's rating_lr.
[[nodiscard]] bool takes_rating_steps(ModelKind model);

// Fails where the split has no ratings. PaCo, which looks at none, is made here too.
[[nodiscard]] Result<std::unique_ptr<Recommender>> make_rating_model(const TrainRequest& request,
                                                                     const Split& split, Executor& executor);

// The settings that decide the model, as text: part of its name.
[[nodiscard]] std::string rating_model_settings(const TrainRequest& request, const Split& split);

}  // namespace sotto
