// Cohort selection: who takes part in a round. A function of (seed, round) alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/ids.h"

namespace sotto::fed {

class CohortSelector {
 public:
  // `eligible` users, of which each round takes `cohort` distinct ones, 1 ≤ cohort ≤ eligible.size().
  CohortSelector(std::vector<UserIndex> eligible, std::uint32_t cohort, std::uint64_t seed);

  // The cohort of a round, ascending; valid until the next call.
  [[nodiscard]] std::span<const UserIndex> select(std::uint32_t round);
  // Where a cohort is one user: those of rounds first_round, first_round + 1, … at once.
  void select_ahead(std::uint32_t first_round, std::span<UserIndex> out) const;

 private:
  std::vector<UserIndex> eligible_;
  std::vector<UserIndex> chosen_;
  std::vector<std::uint32_t> swaps_;
  std::uint32_t cohort_;
  std::uint64_t seed_;
};

}  // namespace sotto::fed
