// What Fed-CARS is told beside the plan's seed, epochs, factors and cohort, the server's step, and recency;
// and who answers.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "data/histories.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "model/fedcars/fedcars.h"
#include "model/fedcars/fedcars_options.h"

namespace sotto::engine {

struct FedcarsSettings {
  MamlOptions rating = FedcarsOptions{}.rating;
  MamlOptions choice = FedcarsOptions{}.choice;  // order and what adapts are the rating's
  float error_bend = 0.0f;                       // in stars; 0: errors are squared
  bool choices = true;                           // learn what people choose, too
  float choice_rate = FedcarsOptions{}.choice_rate;
  float choice_recency = 0.0f;  // half-life, in records, for choices; 0: as for ratings
  std::uint32_t negatives = FedcarsOptions{}.negatives;
  std::uint32_t hidden = 0;
  QueryFrom query = QueryFrom::training;
  float query_share = FedcarsOptions{}.query_share;
  float few_share = FedcarsOptions{}.few_share;
  bool popularity_start = true;
  // Of the people, drawn once: these answer. The others receive the model and adapt on their own devices.
  double participation = 1.0;
};

[[nodiscard]] FedcarsOptions fedcars_options(const TrainRequest& request);

// Whether somebody is among the share of the people who answer: drawn once for the seed; who does at some
// share does at any larger one.
[[nodiscard]] bool answers_at(double participation, std::uint64_t seed, UserIndex user);
// The histories of those who answer; the others' are empty.
[[nodiscard]] Histories participants(const TrainRequest& request, const Histories& histories);

// The model with everybody's records and protocols. The request has its people
// (engine/protect/training_consent.h). Fails where the split has no ratings.
[[nodiscard]] Result<Fedcars> make_fedcars(const TrainRequest& request, const Split& split);

}  // namespace sotto::engine
