// The models that are made in one go from a split (ModelFamily::direct).
#pragma once

#include <memory>
#include <string>

#include "base/executor.h"
#include "base/result.h"
#include "data/split.h"
#include "lab/request.h"
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

}  // namespace sotto
