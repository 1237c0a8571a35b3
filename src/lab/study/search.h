// Searches: which settings to try next, given what the tried ones scored.
//
// Laws: a search is a function of its options, its axes and the values it was told, in the order of its
// trials: not of time, threads or who computed what. It never tries the same settings twice for the same
// epochs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/study/study.h"

namespace sotto::lab {

struct Trial {
  Settings settings;
  std::optional<std::uint32_t> epochs;  // halving: how long it may train
};

using TrialValue = std::optional<double>;  // none: the trial failed

class Searcher {
 public:
  Searcher() = default;
  Searcher(const Searcher&) = delete;
  Searcher& operator=(const Searcher&) = delete;
  virtual ~Searcher() = default;

  // The trials to do now; none: the search is over.
  [[nodiscard]] virtual std::vector<Trial> next() = 0;
  // What they scored, in their order.
  virtual void tell(std::span<const TrialValue> values) = 0;
  // The place of the best trial, counted over all that next() gave; none if all failed. The first of equals.
  [[nodiscard]] virtual std::optional<std::size_t> best() const = 0;
  // How many trials there will be, at most.
  [[nodiscard]] virtual std::uint64_t most_trials() const = 0;
  // The same in trainings to the last epoch: a trial that may train for a third of it counts as a third.
  [[nodiscard]] virtual double most_work() const { return static_cast<double>(most_trials()); }
};

// `epochs`: of the model at hand; 0 where it has none.
[[nodiscard]] std::unique_ptr<Searcher> make_searcher(const Search& search, const std::vector<Axis>& axes,
                                                      std::uint32_t epochs);

// The place of the value from `begin` on that is best for `metric`; the first of equals.
[[nodiscard]] std::optional<std::size_t> best_of(std::span<const TrialValue> values,
                                                 const std::string& metric, std::size_t begin = 0);

// Up to `count` different points, drawn; all points of the axes where there are no more than that.
[[nodiscard]] std::vector<Settings> drawn_points(const std::vector<Axis>& axes, std::uint64_t count,
                                                 std::uint64_t seed);

}  // namespace sotto::lab
