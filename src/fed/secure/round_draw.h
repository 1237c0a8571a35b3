// Who sums with whom in a round, and who falls silent in it: one draw for a secure sum that is played and for
// the audit that judges it.
//
// Laws: a function of the seed, the round and the numbers; every place is in one group; no group is smaller
// than asked for unless the whole cohort is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fed/secure/sum_protocol.h"

namespace sotto::fed {

struct RoundDrawRules {
  std::uint64_t seed = 1;
  std::uint32_t group = 0;   // devices of a group, at least; 0: the whole cohort
  double silent = 0.0;       // the share of each group that falls silent
  bool same_groups = false;  // those of the first round in every round of as many devices
};

struct RoundDraw {
  std::vector<std::uint32_t> order;  // places in the cohort: groups are slices of it
  std::size_t groups = 1;
  std::vector<Fate> fates;  // by place

  [[nodiscard]] std::span<const std::uint32_t> group(std::size_t n) const {
    const std::size_t first = order.size() * n / groups, end = order.size() * (n + 1) / groups;
    return std::span(order).subspan(first, end - first);
  }
};

[[nodiscard]] RoundDraw draw_round(const RoundDrawRules& rules, std::uint32_t round, std::size_t devices);

}  // namespace sotto::fed
