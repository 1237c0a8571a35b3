#include "fed/aggregator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace sotto::fed::aggregator_test {

constexpr std::size_t rows = 8;
constexpr std::size_t width = 3;

using Device = std::vector<std::pair<std::uint32_t, std::int32_t>>;
using Sums = std::map<std::uint32_t, std::vector<std::int64_t>>;

Contribution contribution_of(const Device& device, std::size_t of_width = width) {
  ConsentGate gate({.pi = 1.0}, 1, 0, UserIndex{0});
  Contribution contribution(of_width);
  ContributionPipeline pipeline(gate, {}, contribution);
  for (const auto& [row, value] : device) {
    std::int32_t* out = pipeline.open(Evidence::positive, row);
    std::fill_n(out, contribution.stride(), 0);
    for (std::size_t k = 0; k < of_width; ++k) out[k] = value * static_cast<std::int32_t>(k + 1);
  }
  return contribution;
}

Sums released(Aggregator&& aggregator) {
  Sums sums;
  std::move(aggregator).release([&](std::uint32_t row, const auto* sum) {
    sums[row].assign(sum, sum + width);
  });
  return sums;
}

TEST(Aggregator, SumsByHand) {
  SumSpace space(rows, width);
  Aggregator aggregator(space);
  ASSERT_TRUE(aggregator.accept(contribution_of({{1, 5}, {3, -2}, {1, 1}})).ok());
  ASSERT_TRUE(aggregator.accept(contribution_of({{3, 10}})).ok());
  EXPECT_EQ(aggregator.contributions(), 2u);
  EXPECT_EQ(aggregator.distinct_rows(), 3u);  // {1, 3} and {3}
  EXPECT_EQ(released(std::move(aggregator)), (Sums{{1, {6, 12, 18}}, {3, {8, 16, 24}}}));
}

TEST(Aggregator, TheNextRoundStartsFromZero) {
  SumSpace space(rows, width);
  for (int round = 0; round < 3; ++round) {
    Aggregator aggregator(space);
    ASSERT_TRUE(aggregator.accept(contribution_of({{2, 7}})).ok());
    EXPECT_EQ(released(std::move(aggregator)), (Sums{{2, {7, 14, 21}}}));
  }
  {
    Aggregator forgotten(space);
    ASSERT_TRUE(forgotten.accept(contribution_of({{4, 9}})).ok());
  }
  Aggregator aggregator(space);
  EXPECT_EQ(released(std::move(aggregator)), Sums{});
}

TEST(Aggregator, ARowThatOutgrows32BitsGoesOnIn64) {
  SumSpace space(rows, width);
  SumSpace other_space(rows, width);
  constexpr std::int32_t large = fixed_limit / 3;
  for (int round = 0; round < 2; ++round) {
    Aggregator aggregator(space);
    Aggregator other(other_space);
    for (int n = 0; n < 50; ++n) {
      ASSERT_TRUE(aggregator.accept(contribution_of({{1, large}, {3, -large}, {5, 1}})).ok());
      ASSERT_TRUE(other.accept(contribution_of({{3, -large}, {5, 1}})).ok());
    }
    aggregator.merge(std::move(other));
    const auto times = [](std::int64_t n, std::int64_t v) {
      return std::vector<std::int64_t>{n * v, 2 * n * v, 3 * n * v};
    };
    EXPECT_EQ(released(std::move(aggregator)),
              (Sums{{1, times(50, large)}, {3, times(100, -large)}, {5, times(100, 1)}}));
  }
}

TEST(Aggregator, WideRowsAreForgottenAndMergedFromEitherSide) {
  SumSpace space(rows, width);
  SumSpace other_space(rows, width);
  constexpr std::int32_t large = fixed_limit / 3;
  const auto fill = [&](Aggregator& sum, int times) {
    for (int n = 0; n < times; ++n) ASSERT_TRUE(sum.accept(contribution_of({{2, large}})).ok());
  };
  {
    Aggregator forgotten(space);
    fill(forgotten, 20);
  }
  for (const bool wide_first : {true, false}) {
    Aggregator first(space);
    Aggregator second(other_space);
    fill(first, wide_first ? 20 : 1);
    fill(second, wide_first ? 1 : 20);
    first.merge(std::move(second));
    const std::int64_t sum = std::int64_t{21} * large;
    EXPECT_EQ(released(std::move(first)), (Sums{{2, {sum, 2 * sum, 3 * sum}}}));
  }
}

TEST(Aggregator, RefusedInputLeavesNoTrace) {
  SumSpace space(rows, width);
  Aggregator aggregator(space);
  EXPECT_FALSE(aggregator.accept(contribution_of({{1, 5}, {rows, 1}})).ok());  // a row that is not there
  EXPECT_FALSE(aggregator.accept(contribution_of({{1, 5}}, width + 1)).ok());
  EXPECT_EQ(aggregator.contributions(), 0u);
  EXPECT_EQ(released(std::move(aggregator)), Sums{});
}

TEST(AggregatorDeathTest, ASpentSumIsNotUsedAgain) {
  SumSpace space(rows, width);
  Aggregator aggregator(space);
  static_cast<void>(released(std::move(aggregator)));
  EXPECT_DEATH(static_cast<void>(released(std::move(aggregator))),
               "released once");  // NOLINT: used after move on purpose
  EXPECT_DEATH(static_cast<void>(aggregator.accept(contribution_of({{1, 5}})).ok()), "spent");
}

RC_GTEST_PROP(AggregatorLaw, AnyOrderAndAnySplitGiveTheSameSums, ()) {
  const auto entry = rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, rows),
                                   rc::gen::inRange(-fixed_limit / 3, fixed_limit / 3));
  const auto devices = *rc::gen::container<std::vector<Device>>(rc::gen::container<Device>(entry));
  SumSpace one(rows, width);
  Aggregator whole(one);
  for (const Device& device : devices) RC_ASSERT(whole.accept(contribution_of(device)).ok());
  const std::uint64_t distinct = whole.distinct_rows();

  std::array<SumSpace, 3> spaces{SumSpace(rows, width), SumSpace(rows, width), SumSpace(rows, width)};
  std::vector<Aggregator> parts;
  for (SumSpace& space : spaces) parts.emplace_back(space);
  for (std::size_t n = devices.size(); n-- > 0;)
    RC_ASSERT(parts[*rc::gen::inRange<std::size_t>(0, 3)].accept(contribution_of(devices[n])).ok());
  parts[2].merge(std::move(parts[0]));
  parts[2].merge(std::move(parts[1]));
  RC_ASSERT(parts[2].contributions() == devices.size());
  RC_ASSERT(parts[2].distinct_rows() == distinct);
  RC_ASSERT(released(std::move(parts[2])) == released(std::move(whole)));
}

}  // namespace sotto::fed::aggregator_test
