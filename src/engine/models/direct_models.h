// The models that are made in one go from a split (ModelFamily::direct).
#pragma once

#include <memory>
#include <string>

#include "base/executor.h"
#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "model/recommender.h"
#include "sim/federation.h"

namespace sotto {

struct DirectModel {
  std::unique_ptr<Recommender> model;  // refers to the split, which must outlive it
  RoundReport totals;                  // what federated ones sent
  std::optional<PrivacySpent> privacy = {};
};
[[nodiscard]] Result<DirectModel> make_direct(const TrainRequest& request, const Split& split,
                                              Executor& executor);

// Models without parameters are their settings and their data.
[[nodiscard]] std::string direct_hash(const TrainRequest& request, const Split& split);

// Whether the seed decides anything of the model or of what federated ones send. Law: where it does not, two
// requests that differ in their seed alone make the same of one split. A model that is not known to draw
// nothing counts as one that does.
[[nodiscard]] bool draws(const TrainRequest& request);

}  // namespace sotto
