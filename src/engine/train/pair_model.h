// PairModel: a model that a federation makes of one sum of pairs, in two halves: what leaves the devices,
// which is the same for all of them but for what a person weighs, and what the server makes of the sum. A
// person can be taken back from such a sum.
#pragma once

#include "engine/train/direct_model.h"
#include "sim/pair_round.h"

namespace sotto::engine {

struct PairModel {
  PersonWeight (*weight)(const TrainRequest& request);
  Result<DirectModel> (*solve)(const PairRound& round, const TrainRequest& request, const Split& split,
                               Executor& executor);
};

// What can be wrong with the items that a sum of pairs is asked of, before data is read.
[[nodiscard]] Status check_pairs(const TrainRequest& request);
// The sum that the request's model asks for. The request has its people (engine/protect/training_consent.h).
[[nodiscard]] Result<PairRound> gather_item_pairs(const TrainRequest& request, const Split& split,
                                                  Executor& executor);
// Both halves.
[[nodiscard]] Result<DirectModel> make_of_pairs(const TrainRequest& request, const Split& split,
                                                Executor& executor);

}  // namespace sotto::engine
