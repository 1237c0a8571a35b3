// The item-item models of a request: EASE, SLIM, RP3β, and those that a federation makes of one sum of pairs.
#pragma once

#include <string>

#include "engine/models/direct_models.h"
#include "sim/pair_round.h"

namespace sotto {

[[nodiscard]] bool is_item_model(ModelKind model);
// Fails where the request's settings for its item-item model cannot be.
[[nodiscard]] Status check_item_model(const TrainRequest& request);
[[nodiscard]] Result<DirectModel> make_item_model(const TrainRequest& request, const Split& split,
                                                  Executor& executor);
// The federated ones in two halves: the sum that leaves the devices, and what the server makes of it. The
// request has its people (engine/protect/training_consent.h).
[[nodiscard]] PersonWeight weight_of(const TrainRequest& request);
[[nodiscard]] Result<PairRound> gather_item_pairs(const TrainRequest& request, const Split& split,
                                                  Executor& executor);
[[nodiscard]] Result<DirectModel> solve_item_pairs(const PairRound& round, const TrainRequest& request,
                                                   const Split& split, Executor& executor);
// The settings that decide the model, as text: part of its name.
[[nodiscard]] std::string item_model_settings(const TrainRequest& request);

// Whether EASE goes by way of the people: more items than one matrix may have, and fewer people.
[[nodiscard]] bool ease_is_wide(const TrainRequest& request, std::size_t users, std::size_t catalogue);

}  // namespace sotto
