#include "fed/secure/pair_cost.h"

#include <gtest/gtest.h>

#include "fed/secure/sum_cost.h"

namespace sotto::fed::pair_cost_test {

// MovieLens 1M: 6,040 people, whose sums of ones need 14 bits a number.
PairSumPlan movies(SumKind kind) {
  SumOptions sum;
  sum.kind = kind;
  return {sum_of_pairs(sum, PersonWeight()), 6040, 3666, PersonWeight()};
}

TEST(PairCost, IsThatOfTheTriangleAndOfWhatFindsItsItems) {
  const PairSumPlan plan = movies(SumKind::shares);
  const auto packed = [](std::uint64_t numbers) { return (numbers + 15) / 16 * 16 * 14 / 8; };
  const std::uint64_t heads = sum_bytes_up(plan.sum, 6040, {0, 16}).value();
  EXPECT_EQ(heads, 0u) << "no row is no sum";
  const std::uint64_t whole = pair_bytes_up(plan, 3666).value(), some = pair_bytes_up(plan, 1000).value();
  EXPECT_NEAR(static_cast<double>(whole), static_cast<double>(packed(3666 * 3667 / 2 + 3667)), 200.0);
  EXPECT_NEAR(static_cast<double>(some), static_cast<double>(packed(1000 * 1001 / 2 + 1001) + packed(3666)),
              400.0);
  // Weights in fixed point are up to 2^20.
  EXPECT_EQ(sum_of_pairs({}, PersonWeight(0.5f)).limit, 1u << 20);
  SumOptions low;
  low.limit = 7;
  EXPECT_EQ(sum_of_pairs(low, PersonWeight()).limit, 7u);
}

TEST(PairCost, WhatIsTooMuchIsRefusedWithWhatWouldDo) {
  for (const SumKind kind : {SumKind::secure, SumKind::shares, SumKind::paillier}) {
    const PairSumPlan plan = movies(kind);
    EXPECT_TRUE(check_pair_bytes(plan, 3666, 40'000'000).ok());
    const Status refused = check_pair_bytes(plan, 3666, 1'000'000);
    ASSERT_FALSE(refused.ok());
    const std::string& message = refused.error().message;
    const auto at = message.find("--pair-items ");
    ASSERT_NE(at, std::string::npos) << message;
    const std::size_t fits = std::stoul(message.substr(at + 13));
    EXPECT_LE(pair_bytes_up(plan, fits).value(), 1'000'000u);
    EXPECT_GT(pair_bytes_up(plan, fits + 1).value(), 1'000'000u);
    EXPECT_TRUE(check_pair_bytes(plan, fits, 1'000'000).ok());
    EXPECT_NE(message.find(std::to_string(pair_bytes_up(plan, 3666).value())), std::string::npos);
    EXPECT_NE(check_pair_bytes(plan, 3666, 10).error().message.find("any item"), std::string::npos);
  }
}

TEST(PairCost, CountsPairsBeyondThirtyTwoBits) {
  PairSumPlan plan = movies(SumKind::shares);
  plan.catalogue = 1'000'000;
  EXPECT_GT(pair_bytes_up(plan, 1'000'000).value(), 875'000'000'000u);
}

}  // namespace sotto::fed::pair_cost_test
