// How far chance may have moved a figure: an interval for the mean over everybody like those who judged.
//
// It holds in about 95 of 100 such groups. What is summed says of each metric the mean and nothing of how
// much people differ; but values between 0 and `most` differ most where each is one of both, so that the
// interval of a share (Wilson's) is taken: for the hit rate the usual one, for the others longer than one
// from squares would be, which nobody sends. Of rare hits of few people it holds less often (5 to 100 people,
// some means near 0 or 1: 83 of 100). Noise on the sum makes it longer.
#pragma once

#include <cstdint>
#include <string>

#include "fed/models/live_evaluation.h"

namespace sotto::server {

struct FigureInterval {
  double low = 0.0;
  double high = 0.0;
};
// `noise`: the deviation of what was added to the sum, in people.
[[nodiscard]] FigureInterval figure_interval(double mean, double most, std::uint64_t people, double noise);
// What a metric, by its name without the cutoff, is of one list at most; 0: no interval follows from its sum.
[[nodiscard]] double most_of(const std::string& metric, const EvaluationTerms& terms);

}  // namespace sotto::server
