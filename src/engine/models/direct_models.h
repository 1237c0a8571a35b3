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

// What such a model is made of: its settings and its data. Up to version 0.1.0 this was its hash.
[[nodiscard]] std::string made_of(const TrainRequest& request, const Split& split);
// Its hash: what it is made of, and its numbers (model/named_numbers.h), which every one of them names.
[[nodiscard]] std::string direct_hash(const TrainRequest& request, const Split& split,
                                      const Recommender& model);
// Whether a run's hash is that of the model that was made again; with runs of 0.1.0, of what it is made of.
// Of other families: true, the hash is their stored weights'.
[[nodiscard]] bool is_named(const std::string& hash, const TrainRequest& request, const Split& split,
                            const Recommender& model);

// Whether the seed decides anything of the model or of what federated ones send. Law: where it does not, two
// requests that differ in their seed alone make the same of one split. A model that is not known to draw
// nothing counts as one that does.
[[nodiscard]] bool draws(const TrainRequest& request);

}  // namespace sotto
