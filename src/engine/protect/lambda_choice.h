// The λ of private EASE, chosen privately. EASE is solved for every candidate from the released matrix, which
// costs nothing; each device says of each candidate how many of its ten best items are of the person's
// validation part, 3 at most (sim/candidate_votes.h); one is chosen by the sums (fed/dp_choice.h).
//
// Laws: the choice is charged before it is made; it is a function of the votes and of what noise is drawn
// for.
#pragma once

#include <memory>

#include "engine/protect/dp.h"
#include "metrics/evaluate.h"
#include "model/central/ease.h"
#include "sim/round_report.h"

namespace sotto::engine {

struct LambdaChoice {
  float lambda = 0.0f;
  RoundReport report;
  double epsilon = 0.0;  // what was paid; nothing where one candidate alone has a solution
};

// Fails where there is nothing to choose by.
[[nodiscard]] Status check_candidates(const TrainRequest& request, const Split& split);
// Fails where a model is to be judged on what its λ was chosen by.
[[nodiscard]] Status check_judged(const TrainRequest& request, Part part);

// What devices score from after a choice: the validation part's items, which count as the newest, and those
// of the training part.
[[nodiscard]] Histories whole_histories(const Split& split);

// The request has candidates, noise and everybody's terms. `options` but for λ.
[[nodiscard]] Result<LambdaChoice> choose_lambda(const TrainRequest& request, const Split& split,
                                                 const ItemGram& released, EaseOptions options,
                                                 const std::shared_ptr<DpAccount>& account,
                                                 Executor& executor);

}  // namespace sotto::engine
