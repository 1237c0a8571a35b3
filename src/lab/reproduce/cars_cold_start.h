// Somebody new: how well Fed-CARS predicts for people who took no part in training, from the first k ratings
// they gave.
//
// Laws: of such a person only the k oldest training ratings are looked at, and the test part is predicted one
// by one; who has fewer than k gives all. Errors are over all their test ratings together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "data/split.h"
#include "engine/plan/request.h"
#include "model/fedcars/fedcars_recommender.h"

namespace sotto::lab {

// Mean absolute errors with k ratings known.
struct ColdStartPoint {
  std::uint32_t known = 0;
  double one_step = 0.0;   // Fed-CARS after one inner step,
  double all_steps = 0.0;  // and after as many as it was trained with
  double item_mean = 0.0;  // of those who took part
  double biases = 0.0;     // μ + b_i + b_u, of the k ratings, shrunk
};

struct ColdStartCurve {
  std::size_t people = 0;  // new ones, who are judged
  std::vector<ColdStartPoint> points;
};

// The model was trained on this split by this request, whose participation is below 1. Fails where nobody is
// left to be new.
[[nodiscard]] Result<ColdStartCurve> cold_start_curve(const TrainRequest& request, const Split& split,
                                                      const FedcarsRecommender& model,
                                                      std::span<const std::uint32_t> known);

}  // namespace sotto::lab
