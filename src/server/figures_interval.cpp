#include "server/figures_interval.h"

#include <algorithm>
#include <cmath>

namespace sotto::server {

namespace {

constexpr double deviations = 1.959963984540054;  // between them lie 95% of a Gaussian

// Wilson's, one end of it.
double end_of_share(double share, double people, double sign) {
  constexpr double squared = deviations * deviations;
  const double middle = share + squared / (2.0 * people);
  const double half =
      deviations * std::sqrt(share * (1.0 - share) / people + squared / (4.0 * people * people));
  return std::clamp((middle + sign * half) / (1.0 + squared / people), 0.0, 1.0);
}

}  // namespace

FigureInterval figure_interval(double mean, double most, std::uint64_t people, double noise) {
  const auto count = static_cast<double>(people);
  const double moved = deviations * noise / count / most;
  const auto end = [&](double sign) {
    return most * end_of_share(std::clamp(mean / most + sign * moved, 0.0, 1.0), count, sign);
  };
  return {end(-1.0), end(1.0)};
}

double most_of(const std::string& metric, const EvaluationTerms& terms) {
  if (std::ranges::find(figure_names, metric) == figure_names.end()) return 0.0;
  if (metric != "P" || terms.holdout == 0) return 1.0;
  return static_cast<double>(std::min(terms.holdout, terms.cutoff)) / terms.cutoff;
}

}  // namespace sotto::server
