// What criteria tell about people (fed/criteria): figures over what devices said of themselves.
//
// With a plain sum the server reads each person's numbers; with a secure sum it reads those of all who tell a
// criterion, and a single person's only where that person alone tells it, or where those who tell it in two
// rounds differ in exactly that person.
// Laws: the figures depend on what was told alone, at the resolution at which it left; a round in which
// everybody tells the same gives no bits and links nobody better than chance.
#pragma once

#include <cstdint>
#include <vector>

#include "data/ids.h"

namespace sotto::privacy {

// A person's numbers in a round; `not_told` where one was kept back.
struct ToldTuple {
  static constexpr std::int32_t not_told = -1;
  UserIndex user;
  std::vector<std::int32_t> values = {};
};
using ToldRound = std::vector<ToldTuple>;  // by ascending user

struct CriterionLeak {
  double told = 0.0;  // share of the people who tell it
  double bits = 0.0;  // entropy of the values that these first told
};

struct CriteriaLeak {
  std::size_t people = 0;
  std::size_t rounds = 0;
  std::vector<CriterionLeak> criteria;
  double bits = 0.0;    // of all together, what is kept back being a value too
  double unique = 0.0;  // share of people, mean over rounds, whose numbers nobody else in the cohort has
  // Of people in two rounds on end, the share whose nearest numbers in the later one are their own; where
  // several are as near, one is drawn. Chance: the same without looking.
  double linked = 0.0;
  double chance = 0.0;
  double exposed = 0.0;  // under a secure sum: share of people of whom a number follows from the sums
};

// At most so many people of a round are linked: each is compared with all.
inline constexpr std::size_t most_linked = 400;

[[nodiscard]] CriteriaLeak criteria_leak(const std::vector<ToldRound>& rounds, std::size_t criteria);

}  // namespace sotto::privacy
