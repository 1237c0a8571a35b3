// What repeated trials prove about ε: a mechanism that is (ε, δ)-private cannot let anybody tell runs with a
// person from runs without better than e^ε times the false alarms, plus δ. Who does tell them apart that well
// has shown that ε is larger.
//
// Law: if the mechanism is (ε, δ)-private, the bound exceeds ε with a chance of at most 1 − confidence.
#pragma once

#include <cstdint>
#include <span>

#include "metrics/statistics.h"

namespace sotto::privacy {

// Clopper and Pearson's exact interval of a chance that showed `hits` times in `trials` (at least 1).
[[nodiscard]] Interval clopper_pearson(std::uint64_t hits, std::uint64_t trials, double confidence);

struct EpsilonBound {
  double epsilon = 0.0;  // at least so much, with the confidence asked for; 0: nothing is shown
  double threshold = 0.0;
  std::uint64_t trials = 0;  // that were judged, with and without
  double hits = 0.0;         // share of runs with the person that lie above the threshold
  double false_alarms = 0.0;
};

// One number a run: larger should mean that the person took part. The first half of the runs chooses the
// threshold, the second half is judged, so that the choice does not flatter the bound. At least 4 runs each.
[[nodiscard]] EpsilonBound epsilon_lower_bound(std::span<const double> with, std::span<const double> without,
                                               double delta, double confidence = 0.95);

}  // namespace sotto::privacy
