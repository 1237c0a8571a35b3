// CohortDraw: which devices a round is for, where a task draws them: the simulator's cohorts among the
// devices 0 … population − 1.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "fed/selection.h"
#include "server/task_config.h"

namespace sotto::server {

class CohortDraw {
 public:
  CohortDraw(const RoundRules& rules, std::uint64_t seed)
      : selector_(everybody(rules.population), rules.goal, seed) {}

  [[nodiscard]] bool has(std::uint32_t index, std::uint32_t round, std::int64_t now_ms) {
    if (round_ != round) {
      drawn_.clear();
      for (const UserIndex user : selector_.select(round)) drawn_.push_back(user.value);
      round_ = round;
      drawn_ms_ = now_ms;
    }
    return std::binary_search(drawn_.begin(), drawn_.end(), index);
  }
  // Whether the round was drawn so long ago.
  [[nodiscard]] bool has_waited(std::uint32_t round, std::int64_t ms, std::int64_t now_ms) const {
    return round_ == round && now_ms - drawn_ms_ >= ms;
  }
  // What was drawn has its whole time again.
  void begin_again() { round_.reset(); }

 private:
  static std::vector<UserIndex> everybody(std::uint32_t population) {
    std::vector<UserIndex> all;
    for (std::uint32_t index = 0; index < population; ++index) all.push_back({index});
    return all;
  }

  CohortSelector selector_;
  std::optional<std::uint32_t> round_;  // whose cohort drawn_ is
  std::vector<std::uint32_t> drawn_;
  std::int64_t drawn_ms_ = 0;
};

}  // namespace sotto::server
