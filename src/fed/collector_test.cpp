#include "fed/collector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

#include "fed/messages.h"

namespace sotto::fed::collector_test {

using Sums = std::map<std::uint32_t, std::vector<std::int64_t>>;

Contribution contribution_of(const std::vector<std::pair<std::uint32_t, std::int32_t>>& rows) {
  Contribution contribution(2);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, contribution);
  for (const auto& [row, value] : rows) {
    std::int32_t* out = pipeline.open(Evidence::positive, row);
    out[0] = value, out[1] = -value;
  }
  contribution.make_canonical();
  return contribution;
}

Sums released(Aggregator&& sum) {
  Sums sums;
  std::move(sum).release([&](std::uint32_t row, const auto* values) {
    sums[row] = {std::int64_t{values[0]}, std::int64_t{values[1]}};
  });
  return sums;
}

TEST(PlainCollector, GivesTheSumAndTheBytes) {
  PlainCollector collector({6, 2});
  SumSpace space(6, 2);
  const std::vector<UserIndex> cohort{UserIndex{0}, UserIndex{1}};
  Contribution first = contribution_of({{1, 5}, {3, 7}}), second = contribution_of({{3, 1}});
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(collector.begin({static_cast<std::uint32_t>(round), cohort, nullptr}).ok());
    ASSERT_TRUE(collector.accept(cohort[0], first).ok());
    ASSERT_TRUE(collector.accept(cohort[1], second).ok());
    Aggregator total(space);
    const Traffic traffic = collector.finish(total).value();
    EXPECT_EQ(traffic.up,
              encode(ContributionMessage{0, first}).size() + encode(ContributionMessage{0, second}).size());
    EXPECT_EQ(traffic.devices, 2u);
    EXPECT_EQ(released(std::move(total)), (Sums{{1, {5, -5}}, {3, {8, -8}}}));
  }
}

TEST(PlainCollector, ARoundThatFailedLeavesNothing) {
  PlainCollector collector({6, 2});
  SumSpace space(6, 2);
  Contribution good = contribution_of({{1, 5}}), outside = contribution_of({{6, 5}});
  ASSERT_TRUE(collector.begin({}).ok());
  ASSERT_TRUE(collector.accept(UserIndex{0}, good).ok());
  EXPECT_FALSE(collector.accept(UserIndex{1}, outside).ok());
  ASSERT_TRUE(collector.begin({}).ok());
  Aggregator total(space);
  EXPECT_TRUE(collector.finish(total).ok());
  EXPECT_EQ(released(std::move(total)), Sums{});
}

RC_GTEST_PROP(Aggregator, TotalsMadeElsewhereAddUp, ()) {
  SumSpace space(8, 2);
  Aggregator total(space);
  Sums expected;
  for (int n = *rc::gen::inRange(0, 20); n > 0; --n) {
    const auto row = *rc::gen::inRange(0u, 8u);
    if (*rc::gen::arbitrary<bool>()) {
      const std::int32_t value = *rc::gen::inRange(-fixed_limit, fixed_limit);
      RC_ASSERT(total.accept(contribution_of({{row, value}})).ok());
      expected.try_emplace(row, 2, 0);
      expected[row][0] += value, expected[row][1] -= value;
    } else {
      const std::int64_t values[2] = {*rc::gen::inRange<std::int64_t>(-(1ll << 50), 1ll << 50), 3};
      total.add_total(row, values);
      expected.try_emplace(row, 2, 0);
      expected[row][0] += values[0], expected[row][1] += 3;
    }
  }
  RC_ASSERT(released(std::move(total)) == expected);
  Aggregator next(space);
  RC_ASSERT(released(std::move(next)).empty());
}

}  // namespace sotto::fed::collector_test
