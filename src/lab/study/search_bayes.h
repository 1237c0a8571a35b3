// Bayesian search: a Gaussian process over the unit cube of the settings, and the point where the most
// improvement is expected (Jones, Schonlau and Welch 1998).
//
// Each axis is one side of the cube, in the order of its values (a list of words: one side a word). The first
// trials are drawn; then `batch` at a time are proposed, each as if those before it had scored what the
// process expects of them. Failed trials count as the worst value seen.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lab/study/gaussian_process.h"
#include "lab/study/search.h"

namespace sotto::lab {

class BayesSearch final : public Searcher {
 public:
  BayesSearch(const Search& search, std::vector<Axis> axes);

  [[nodiscard]] std::vector<Trial> next() override;
  void tell(std::span<const TrialValue> values) override;
  [[nodiscard]] std::optional<std::size_t> best() const override;
  [[nodiscard]] std::uint64_t most_trials() const override;

 private:
  [[nodiscard]] std::vector<Settings> first_points() const;
  // Points to choose from: the rest of a small grid, or fresh draws. None was tried.
  [[nodiscard]] std::vector<Settings> candidates() const;
  [[nodiscard]] Settings propose(const std::vector<Settings>& from, Eigen::MatrixXd& points,
                                 Eigen::VectorXd& values) const;
  [[nodiscard]] Eigen::VectorXd place_of(const Settings& settings) const;

  Search search_;
  std::vector<Axis> axes_;
  std::vector<Settings> tried_;
  std::set<std::string> seen_;
  std::vector<TrialValue> values_;
};

}  // namespace sotto::lab
