#include "lab/study/time_left.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace sotto::lab {

namespace {

double usual_seconds(std::span<const SequenceCost> costs) {
  std::vector<double> each;
  for (const SequenceCost& cost : costs)
    if (cost.work_computed > 0.0) each.push_back(cost.seconds / cost.work_computed);
  if (each.empty() || each.size() * 2 < costs.size()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
  std::nth_element(each.begin(), middle, each.end());
  return *middle;
}

}  // namespace

double seconds_left(std::span<const SequenceCost> costs) {
  double left = 0.0;
  for (const SequenceCost& cost : costs) {
    const double missing = cost.work - cost.work_finished;
    if (missing < 1e-9) continue;
    left += missing * (cost.work_computed > 0.0 ? cost.seconds / cost.work_computed : usual_seconds(costs));
  }
  return left;
}

}  // namespace sotto::lab
