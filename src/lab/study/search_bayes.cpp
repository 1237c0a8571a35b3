#include "lab/study/search_bayes.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "metrics/metric_name.h"

namespace sotto::lab {

namespace {

constexpr std::uint64_t drawn_candidates = 400;

bool has_words(const Axis& axis) {
  return std::ranges::any_of(axis.values, [](const std::string& value) { return !number_in(value); });
}

// Where a value lies on its side of the cube.
double side_of(const Axis& axis, const std::string& value) {
  if (!axis.values.empty()) {
    const auto found = std::ranges::find(axis.values, value);
    const auto last = static_cast<double>(std::max<std::size_t>(axis.values.size() - 1, 1));
    return static_cast<double>(found - axis.values.begin()) / last;
  }
  const Range& range = *axis.range;
  const double number = number_in(value).value_or(range.min);
  return range.log ? std::log(number / range.min) / std::log(range.max / range.min)
                   : (number - range.min) / (range.max - range.min);
}

void append(Eigen::MatrixXd& points, Eigen::VectorXd& values, const Eigen::VectorXd& point, double value) {
  points.conservativeResize(points.rows() + 1, point.size());
  points.row(points.rows() - 1) = point.transpose();
  values.conservativeResize(values.size() + 1);
  values(values.size() - 1) = value;
}

// To mean 0 and variance 1, more being better; failures become the worst value.
Eigen::VectorXd standardised(const std::vector<TrialValue>& values, const std::string& metric) {
  std::optional<double> worst;
  for (const TrialValue& value : values)
    if (value && (!worst || is_better(metric, *worst, *value))) worst = value;
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()));
  for (std::size_t n = 0; n < values.size(); ++n)
    result(static_cast<Eigen::Index>(n)) = values[n].value_or(worst.value_or(0.0));
  result.array() -= result.mean();
  const double sd = std::sqrt(result.squaredNorm() / static_cast<double>(result.size()));
  if (sd > 0.0) result /= sd;
  if (is_better(metric, 0.0, 1.0)) result = -result;
  return result;
}

}  // namespace

BayesSearch::BayesSearch(const Search& search, std::vector<Axis> axes)
    : search_(search), axes_(std::move(axes)) {}

std::uint64_t BayesSearch::most_trials() const {
  std::uint64_t points = 1;
  for (const Axis& axis : axes_)
    points = axis.values.empty() ? search_.trials
                                 : std::min<std::uint64_t>(points * axis.values.size(), search_.trials);
  return std::min<std::uint64_t>(points, search_.trials);
}

std::vector<Settings> BayesSearch::first_points() const {
  const std::uint64_t wanted = std::max<std::uint64_t>(2 * axes_.size(), 3);
  std::vector<Settings> points =
      drawn_points(axes_, std::min<std::uint64_t>(wanted, search_.trials), search_.seed);
  return points;
}

std::vector<Settings> BayesSearch::candidates() const {
  // Another seed each time, so that the draws are fresh.
  std::vector<Settings> points = drawn_points(axes_, drawn_candidates, search_.seed + 1 + tried_.size());
  std::erase_if(points, [this](const Settings& point) { return seen_.contains(described(point)); });
  return points;
}

Eigen::VectorXd BayesSearch::place_of(const Settings& settings) const {
  std::vector<double> sides;
  for (std::size_t n = 0; n < axes_.size(); ++n) {
    if (!has_words(axes_[n])) {
      sides.push_back(side_of(axes_[n], settings[n].value));
      continue;
    }
    // Different words are one apart.
    for (const std::string& word : axes_[n].values)
      sides.push_back(word == settings[n].value ? std::sqrt(0.5) : 0.0);
  }
  return Eigen::Map<const Eigen::VectorXd>(sides.data(), static_cast<Eigen::Index>(sides.size()));
}

Settings BayesSearch::propose(const std::vector<Settings>& from, Eigen::MatrixXd& points,
                              Eigen::VectorXd& values) const {
  const GaussianProcess process = GaussianProcess::fitted(points, values);
  const double best = values.maxCoeff();
  std::size_t chosen = 0;
  double most = -1.0;
  for (std::size_t n = 0; n < from.size(); ++n) {
    const double gain = expected_improvement(process.at(place_of(from[n])), best);
    if (gain <= most) continue;
    most = gain;
    chosen = n;
  }
  const Eigen::VectorXd place = place_of(from[chosen]);
  append(points, values, place, process.at(place).mean);
  return from[chosen];
}

std::vector<Trial> BayesSearch::next() {
  std::vector<Trial> trials;
  const auto add = [&](const Settings& settings) {
    trials.push_back({settings, std::nullopt});
    tried_.push_back(settings);
    seen_.insert(described(settings));
  };
  if (tried_.empty()) {
    for (const Settings& point : first_points()) add(point);
    return trials;
  }
  Eigen::MatrixXd points;
  Eigen::VectorXd values;
  const Eigen::VectorXd told = standardised(values_, search_.metric);
  for (std::size_t n = 0; n < tried_.size(); ++n)
    append(points, values, place_of(tried_[n]), told(static_cast<Eigen::Index>(n)));
  while (trials.size() < search_.batch && tried_.size() < search_.trials) {
    const std::vector<Settings> from = candidates();
    if (from.empty()) break;
    add(propose(from, points, values));
  }
  return trials;
}

void BayesSearch::tell(std::span<const TrialValue> values) {
  values_.insert(values_.end(), values.begin(), values.end());
  SOTTO_ASSERT(values_.size() == tried_.size(), "each trial has one value");
}

std::optional<std::size_t> BayesSearch::best() const { return best_of(values_, search_.metric); }

}  // namespace sotto::lab
