#include "lab/study/search.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/assert.h"
#include "base/rng.h"
#include "lab/study/search_bayes.h"
#include "metrics/metric_name.h"

namespace sotto::lab {

namespace {

// Trials that are known from the start: grid and random.
class ListSearch final : public Searcher {
 public:
  ListSearch(std::vector<Settings> points, std::string metric)
      : points_(std::move(points)), metric_(std::move(metric)) {}

  [[nodiscard]] std::vector<Trial> next() override {
    std::vector<Trial> trials;
    if (given_) return trials;
    for (const Settings& point : points_) trials.push_back({point, std::nullopt});
    given_ = true;
    return trials;
  }
  void tell(std::span<const TrialValue> values) override { values_.assign(values.begin(), values.end()); }
  [[nodiscard]] std::optional<std::size_t> best() const override { return best_of(values_, metric_); }
  [[nodiscard]] std::uint64_t most_trials() const override { return points_.size(); }

 private:
  std::vector<Settings> points_;
  std::string metric_;
  std::vector<TrialValue> values_;
  bool given_ = false;
};

// Successive halving: everybody trains briefly, one in eta goes on with eta times the epochs.
class HalvingSearch final : public Searcher {
 public:
  HalvingSearch(std::vector<Settings> points, std::uint32_t epochs, const Search& search)
      : alive_(std::move(points)), metric_(search.metric), eta_(search.eta) {
    double shortest = epochs;
    std::size_t left = alive_.size();
    while (left >= eta_ && shortest / eta_ >= search.min_epochs) {
      shortest /= eta_;
      left /= eta_;
      ++steps_;
    }
    for (std::uint32_t step = 0; step <= steps_; ++step)
      epochs_.push_back(std::max(
          1u, static_cast<std::uint32_t>(std::floor(epochs / std::pow(eta_, steps_ - step) + 1e-9))));
  }

  [[nodiscard]] std::vector<Trial> next() override {
    std::vector<Trial> trials;
    if (step_ > steps_) return trials;
    for (const Settings& point : alive_) trials.push_back({point, epochs_[step_]});
    return trials;
  }

  void tell(std::span<const TrialValue> values) override {
    SOTTO_ASSERT(values.size() == alive_.size(), "each trial has one value");
    if (std::ranges::any_of(values, [](const TrialValue& value) { return value.has_value(); }))
      last_step_begins_ = values_.size();
    values_.insert(values_.end(), values.begin(), values.end());
    told_work_ += static_cast<double>(values.size()) * work_in(step_);
    std::vector<std::size_t> order(alive_.size());
    for (std::size_t n = 0; n < order.size(); ++n) order[n] = n;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return values[a] && (!values[b] || is_better(metric_, *values[a], *values[b]));
    });
    order.resize(std::max<std::size_t>(order.size() / eta_, 1));
    std::sort(order.begin(), order.end());  // the order of the draws stays
    std::vector<Settings> survivors;
    for (const std::size_t n : order)
      if (values[n]) survivors.push_back(alive_[n]);
    alive_ = std::move(survivors);
    step_ = alive_.empty() ? steps_ + 1 : step_ + 1;
  }

  // Only those that trained longest are compared: the latest step in which one did not fail.
  [[nodiscard]] std::optional<std::size_t> best() const override {
    return best_of(values_, metric_, last_step_begins_);
  }

  [[nodiscard]] std::uint64_t most_trials() const override {
    std::uint64_t most = values_.size();
    std::uint64_t left = alive_.size();
    for (std::uint32_t step = step_; step <= steps_; ++step, left = std::max<std::uint64_t>(left / eta_, 1))
      most += left;
    return most;
  }
  [[nodiscard]] double most_work() const override {
    double most = told_work_;
    std::uint64_t left = alive_.size();
    for (std::uint32_t step = step_; step <= steps_; ++step, left = std::max<std::uint64_t>(left / eta_, 1))
      most += static_cast<double>(left) * work_in(step);
    return most;
  }

 private:
  [[nodiscard]] double work_in(std::uint32_t step) const {
    return static_cast<double>(epochs_[step]) / epochs_.back();
  }

  std::vector<Settings> alive_;
  std::string metric_;
  std::uint32_t eta_;
  std::uint32_t steps_ = 0;
  std::uint32_t step_ = 0;
  std::vector<std::uint32_t> epochs_;
  std::vector<TrialValue> values_;
  double told_work_ = 0.0;
  std::size_t last_step_begins_ = 0;  // of the steps with a value
};

// The number of points, if it is not over `most`.
std::optional<std::uint64_t> count_points(const std::vector<Axis>& axes, std::uint64_t most) {
  std::uint64_t points = 1;
  for (const Axis& axis : axes) {
    if (axis.values.empty() || points > most) return std::nullopt;
    points *= axis.values.size();
  }
  if (points > most) return std::nullopt;
  return points;
}

}  // namespace

std::optional<std::size_t> best_of(std::span<const TrialValue> values, const std::string& metric,
                                   std::size_t begin) {
  std::optional<std::size_t> best;
  for (std::size_t n = begin; n < values.size(); ++n)
    if (values[n] && (!best || is_better(metric, *values[n], *values[*best]))) best = n;
  return best;
}

std::vector<Settings> drawn_points(const std::vector<Axis>& axes, std::uint64_t count, std::uint64_t seed) {
  if (count_points(axes, count)) return grid_points(axes);
  std::vector<Settings> points;
  std::set<std::string> seen;
  // Draws that repeat are left out; a space with hardly more points than asked for ends the tries.
  for (std::uint64_t draw = 0; draw < count * 50 && points.size() < count; ++draw) {
    Stream stream(seed, Purpose::search_settings, static_cast<std::uint32_t>(draw));
    Settings point;
    for (const Axis& axis : axes) point.push_back({axis.key, value_at(axis, stream.uniform())});
    if (seen.insert(described(point)).second) points.push_back(std::move(point));
  }
  return points;
}

std::unique_ptr<Searcher> make_searcher(const Search& search, const std::vector<Axis>& axes,
                                        std::uint32_t epochs) {
  switch (search.method) {
    case SearchMethod::grid:
      return std::make_unique<ListSearch>(grid_points(axes), search.metric);
    case SearchMethod::random:
      return std::make_unique<ListSearch>(drawn_points(axes, search.trials, search.seed), search.metric);
    case SearchMethod::halving: {
      std::vector<Settings> points = drawn_points(axes, search.trials, search.seed);
      if (epochs == 0) return std::make_unique<ListSearch>(std::move(points), search.metric);
      return std::make_unique<HalvingSearch>(std::move(points), epochs, search);
    }
    case SearchMethod::bayes:
      return std::make_unique<BayesSearch>(search, axes);
  }
  SOTTO_ASSERT(false, "every method has a search");
  return nullptr;
}

}  // namespace sotto::lab
