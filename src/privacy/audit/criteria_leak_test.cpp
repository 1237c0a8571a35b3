#include "privacy/audit/criteria_leak.h"

#include <gtest/gtest.h>

namespace sotto::privacy::criteria_leak_test {

ToldRound round_of(const std::vector<std::vector<std::int32_t>>& values) {
  ToldRound round;
  for (std::uint32_t user = 0; user < values.size(); ++user) round.push_back({UserIndex{user}, values[user]});
  return round;
}

TEST(CriteriaLeak, FourPeopleWithFourValuesAreTwoBitsAndAllFound) {
  const ToldRound round = round_of({{10}, {20}, {30}, {40}});
  const CriteriaLeak leak = criteria_leak({round, round}, 1);
  EXPECT_EQ(leak.people, 4u);
  EXPECT_DOUBLE_EQ(leak.criteria[0].bits, 2.0);
  EXPECT_DOUBLE_EQ(leak.criteria[0].told, 1.0);
  EXPECT_DOUBLE_EQ(leak.unique, 1.0);
  EXPECT_DOUBLE_EQ(leak.linked, 1.0);
  EXPECT_DOUBLE_EQ(leak.chance, 0.25);
  EXPECT_DOUBLE_EQ(leak.exposed, 0.0);
}

TEST(CriteriaLeak, WhoTellTheSameAreLinkedByChanceAlone) {
  const ToldRound round = round_of({{7}, {7}, {7}, {7}});
  const CriteriaLeak leak = criteria_leak({round, round}, 1);
  EXPECT_DOUBLE_EQ(leak.criteria[0].bits, 0.0);
  EXPECT_DOUBLE_EQ(leak.bits, 0.0);
  EXPECT_DOUBLE_EQ(leak.unique, 0.0);
  EXPECT_DOUBLE_EQ(leak.linked, leak.chance);
}

TEST(CriteriaLeak, TwoPairsAreOneBitEachAndTwoTogether) {
  // Each criterion splits the four in two halves, both together name everybody.
  const CriteriaLeak leak = criteria_leak({round_of({{1, 1}, {1, 2}, {2, 1}, {2, 2}})}, 2);
  EXPECT_DOUBLE_EQ(leak.criteria[0].bits, 1.0);
  EXPECT_DOUBLE_EQ(leak.criteria[1].bits, 1.0);
  EXPECT_DOUBLE_EQ(leak.bits, 2.0);
  EXPECT_DOUBLE_EQ(leak.unique, 1.0);
  EXPECT_DOUBLE_EQ(leak.chance, 0.0) << "one round links nobody";
}

TEST(CriteriaLeak, ValuesThatChangePlacesMislead) {
  const CriteriaLeak leak = criteria_leak({round_of({{10}, {20}}), round_of({{20}, {10}})}, 1);
  EXPECT_DOUBLE_EQ(leak.linked, 0.0);
  EXPECT_DOUBLE_EQ(leak.chance, 0.5);
}

TEST(CriteriaLeak, WhatIsKeptBackIsNotCountedAmongTheValues) {
  const std::int32_t kept = ToldTuple::not_told;
  const CriteriaLeak leak = criteria_leak({round_of({{5}, {9}, {kept}, {kept}})}, 1);
  EXPECT_DOUBLE_EQ(leak.criteria[0].told, 0.5);
  EXPECT_DOUBLE_EQ(leak.criteria[0].bits, 1.0);
  EXPECT_DOUBLE_EQ(leak.unique, 0.5);
}

TEST(CriteriaLeak, SumsTellOfWhomAloneTwoCohortsDiffer) {
  ToldRound all = round_of({{1}, {2}, {3}, {4}});
  ToldRound without = all;
  without.erase(without.begin() + 2);
  EXPECT_DOUBLE_EQ(criteria_leak({all, without}, 1).exposed, 0.25);
  without.erase(without.begin());
  EXPECT_DOUBLE_EQ(criteria_leak({all, without}, 1).exposed, 0.0);
}

TEST(CriteriaLeak, SumsTellOfWhoAloneTellsOrIsAloneInADifference) {
  const std::int32_t kept = ToldTuple::not_told;
  // All are in the cohort, but of the second criterion the sum is one person's.
  EXPECT_DOUBLE_EQ(criteria_leak({round_of({{1, 5}, {2, kept}, {3, kept}, {4, kept}})}, 2).exposed, 0.25);
  EXPECT_DOUBLE_EQ(criteria_leak({round_of({{1, 5}, {2, 6}, {3, kept}, {4, kept}})}, 2).exposed, 0.0);
  // The same cohort twice; the third person tells once.
  EXPECT_DOUBLE_EQ(
      criteria_leak({round_of({{1}, {2}, {3}, {kept}}), round_of({{1}, {2}, {kept}, {kept}})}, 1).exposed,
      0.25);
  // Cohorts that differ in who tells nothing.
  ToldRound all = round_of({{1}, {2}, {3}, {kept}}), without = all;
  without.pop_back();
  EXPECT_DOUBLE_EQ(criteria_leak({all, without}, 1).exposed, 0.0);
}

TEST(CriteriaLeak, NobodyIsNothing) { EXPECT_EQ(criteria_leak({}, 2).people, 0u); }

}  // namespace sotto::privacy::criteria_leak_test
