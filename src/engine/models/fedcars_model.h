// Fed-CARS of a request: its options, what the devices hold, and the model as a recommender.
#pragma once

#include <memory>

#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "engine/train/training.h"
#include "model/fedcars/fedcars.h"

namespace sotto {

[[nodiscard]] FedcarsOptions fedcars_options(const TrainRequest& request);

// Whether the run learns from what it is judged on (--query test), and what is said of it wherever runs stand
// side by side.
[[nodiscard]] bool learns_from_test(const TrainRequest& request);
inline constexpr const char* learned_from_test = "learned from the test part";

[[nodiscard]] Status check_fedcars(const TrainRequest& request);

// Whether somebody is among the share of the people who answer: drawn once for the seed; who does at some
// share does at any larger one.
[[nodiscard]] bool answers_at(double participation, std::uint64_t seed, UserIndex user);
// The histories of those who answer; the others' are empty.
[[nodiscard]] Histories participants(const TrainRequest& request, const Histories& histories);

// The model with everybody's records and protocols. The request has its people
// (engine/protect/training_consent.h). Fails where the split has no ratings.
[[nodiscard]] Result<Fedcars> make_fedcars(const TrainRequest& request, const Split& split);

// From what a run directory holds.
[[nodiscard]] Result<std::unique_ptr<Recommender>> rebuild_fedcars(const TrainRequest& request,
                                                                   const Split& split, Parameters parameters);

}  // namespace sotto
