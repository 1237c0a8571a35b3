// The models that are made in one go from a split (ModelEntry::make).
#pragma once

#include <memory>
#include <string>

#include "base/executor.h"
#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "model/recommender.h"
#include "sim/round_report.h"

namespace sotto::engine {

struct DirectModel {
  std::unique_ptr<Recommender> model;  // refers to the split, which must outlive it
  RoundReport totals = {};             // what federated ones sent
  std::optional<PrivacySpent> privacy = {};
};

// Of a model that asks for nothing but a fit.
template <class Model>
[[nodiscard]] Result<DirectModel> direct(Result<std::unique_ptr<Model>> model) {
  if (!model.ok()) return model.error();
  return DirectModel{.model = std::move(*model)};
}

// By the request's model, which is made in one go.
[[nodiscard]] Result<DirectModel> make_direct(const TrainRequest& request, const Split& split,
                                              Executor& executor);

// The model's name, its options, its split and all its numbers (model/named_numbers.h).
[[nodiscard]] std::string direct_hash(const TrainRequest& request, const Split& split,
                                      const Recommender& model);

}  // namespace sotto::engine
