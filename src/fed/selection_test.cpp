#include "fed/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace sotto::fed::selection_test {

std::vector<UserIndex> users(std::uint32_t count) {
  std::vector<UserIndex> all(count);
  for (std::uint32_t n = 0; n < count; ++n) all[n].value = n * 2;  // gaps: not everybody is eligible
  return all;
}

TEST(CohortSelector, EverybodyIsEverybody) {
  CohortSelector selector(users(5), 5, 1);
  const auto cohort = selector.select(3);
  EXPECT_TRUE(std::ranges::equal(cohort, users(5)));
}

TEST(CohortSelector, DistinctAscendingAndAFunctionOfTheRound) {
  CohortSelector selector(users(50), 7, 1);
  const std::vector<UserIndex> early(selector.select(3).begin(), selector.select(3).end());
  for (std::uint32_t round = 0; round < 20; ++round) {
    const auto cohort = selector.select(round);
    EXPECT_EQ(cohort.size(), 7u);
    EXPECT_TRUE(std::is_sorted(cohort.begin(), cohort.end()));
    EXPECT_EQ(std::set<UserIndex>(cohort.begin(), cohort.end()).size(), 7u);
  }
  EXPECT_TRUE(std::ranges::equal(selector.select(3), early));
}

TEST(CohortSelector, EverybodyIsTakenEquallyOften) {
  for (const std::uint32_t size : {1u, 4u}) {
    CohortSelector selector(users(20), size, 9);
    std::vector<int> taken(40, 0);
    constexpr int rounds = 20000;
    for (std::uint32_t round = 0; round < rounds; ++round)
      for (const UserIndex user : selector.select(round)) ++taken[user.value];
    const double expected = rounds * size / 20.0;
    double chi_square = 0.0;
    for (std::size_t u = 0; u < 40; u += 2)
      chi_square += (taken[u] - expected) * (taken[u] - expected) / expected;
    EXPECT_LT(chi_square, 43.8) << size;  // 19 degrees of freedom, p = .001
  }
}

}  // namespace sotto::fed::selection_test
