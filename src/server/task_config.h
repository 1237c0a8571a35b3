// TaskConfig: what an operator asks of a task. The spec decides what is computed, and changes by items alone
// that come behind those it has; the rules say when a round is full, when it is over and who may take part.
//
// Law: what check() takes can run: a round that reaches its goal can be summed and released.
#pragma once

#include <sotto/v1/federation.pb.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "fed/models/task.h"

namespace sotto::server {

struct RoundRules {
  enum class Mode : std::uint8_t { cohorts, buffered };
  enum class Selection : std::uint8_t { arrival, drawn };

  Mode mode = Mode::cohorts;
  // drawn: of the devices 0 … population−1 each round takes the simulator's cohort of `goal`.
  Selection selection = Selection::arrival;
  std::uint32_t goal = 10;          // contributions wanted
  double over_selection = 1.3;      // assigned at most, as a multiple of the goal (arrival)
  std::uint32_t quorum = 2;         // fewest contributions a release has
  std::uint32_t population = 0;     // drawn
  std::int64_t gather_ms = 60'000;  // then a cohort of at least `quorum` starts without the others
  std::int64_t round_ms = 600'000;  // of the whole round; buffered: of one assignment
  std::int64_t phase_ms = 60'000;   // of each phase of a secure sum
  std::uint64_t rounds = 0;         // committed ones, then the task is finished; 0: endless
  std::uint32_t max_staleness = 0;  // buffered: versions that a contribution's base may be behind
  bool need_power = false;
  bool need_unmetered = false;
  std::uint32_t evaluate_goal = 0;  // people who judge a version; 0: the goal
  double canary_share = 0.0;  // of the devices, which have a new version first (server/trial.h); 0: all do
  std::string stop_when;      // by evaluations (server/stop_rule.h); empty: never
  std::string criterion;  // who is taken rather: "", "longest-waiting", or a name in CheckInRequest.criteria

  [[nodiscard]] bool operator==(const RoundRules& other) const = default;
};

// Noise on every released sum, charged to the task's own budget. Cohorts of a fixed size are no Poisson
// sample, so that they earn nothing: every release is charged as if everybody took part.
struct TaskDp {
  double noise_multiplier = 0.0;  // of the clip; 0: what ε needs for all rounds
  double epsilon = 0.0;
  double delta = 1e-6;
  std::uint64_t population = 0;  // people among whom the cohorts are; told in the status
};

// Noise on every released evaluation, with a budget of its own.
struct TaskEvaluation {
  double noise_multiplier = 0.0;  // of the longest figures; 0: none
  double epsilon = 0.0;           // of all evaluations; no more are begun when it is spent
  double delta = 1e-6;

  [[nodiscard]] bool operator==(const TaskEvaluation& other) const = default;
};

struct TaskConfig {
  v1::TaskSpec spec;
  RoundRules rules;
  std::optional<TaskDp> dp;
  TaskEvaluation evaluation;  // of a task that evaluates
  std::string catalogue;      // of encode_catalogue(), or names, one a line; empty: numbers
};

[[nodiscard]] Status check(const TaskConfig& config);

// Devices that a round assigns at most.
[[nodiscard]] std::uint32_t most_assigned(const RoundRules& rules);
// Of the people, in a round; 1 where whoever comes is taken.
[[nodiscard]] double share_of(const RoundRules& rules);
// The noise of each release. The configuration is checked.
[[nodiscard]] Result<double> noise_of(const TaskConfig& config);

}  // namespace sotto::server
