// How long a study will still take, from what its lines have cost so far.
//
// Work is counted in trainings to the last epoch: a trial of a third of the epochs is a third of one.
#pragma once

#include <cstdint>
#include <span>

#include "base/layers.h"

namespace sotto::lab {

struct SequenceCost {
  std::uint64_t cells = 0;  // of all its steps, as far as they are known
  double work = 0.0;        // of those cells
  double work_finished = 0.0;
  double work_computed = 0.0;  // of the finished ones, without those that were found in the file
  double seconds = 0.0;        // of what was computed
};

// Of one thread. A line that has computed nothing is taken to cost as much as the middle one of those that
// have; not a number while fewer than half of the lines have.
[[nodiscard]] double seconds_left(std::span<const SequenceCost> costs);

}  // namespace sotto::lab
