// How far a model's predicted ratings lie from those that people gave, over the records of the judged users.
//
// Laws: every record of a judged user counts, also of an item outside the catalogue (a RatingPredictor
// predicts those too); the same bytes for any number of threads.
#pragma once

#include <span>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "data/contexts.h"
#include "data/histories.h"
#include "data/records.h"
#include "model/rating_predictor.h"

namespace sotto::metrics {

// The records that are judged: a part of a split, with what is known of it.
struct RatedPart {
  const Histories* histories = nullptr;
  std::span<const float> ratings;          // one a record
  const PartContexts* contexts = nullptr;  // may be null
};

struct RatingJudgement {
  double mae = 0.0;                         // over all records: people with many count for more
  double rmse = 0.0;                        // likewise
  double rated_share = 0.0;                 // of the records: the model knows the person or the item
  std::vector<double> user_mae, user_rmse;  // over each user's own records, in the order of the users
};

// `users` have records in the part, and there is one at least. Fails where a prediction is no finite number.
[[nodiscard]] Result<RatingJudgement> judge_ratings(const RatingPredictor& model, const RatedPart& part,
                                                    std::span<const UserIndex> users, Executor& executor);

}  // namespace sotto::metrics
