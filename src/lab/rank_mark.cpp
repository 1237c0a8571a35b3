#include "lab/rank_mark.h"

#include <cmath>
#include <limits>

namespace sotto::lab {

std::vector<RankMark> rank_marks_of(std::span<const double> values, bool less_is_better) {
  const auto better = [less_is_better](double a, double b) { return less_is_better ? a < b : a > b; };
  double best = std::numeric_limits<double>::quiet_NaN(), second = best;
  for (const double value : values) {
    if (std::isnan(value) || value == best) continue;
    if (std::isnan(best) || better(value, best)) {
      second = best;
      best = value;
    } else if (std::isnan(second) || better(value, second)) {
      second = value;
    }
  }
  std::vector<RankMark> standings;
  for (const double value : values)
    standings.push_back(value == best     ? RankMark::best
                        : value == second ? RankMark::second
                                          : RankMark::plain);
  return standings;
}

}  // namespace sotto::lab
