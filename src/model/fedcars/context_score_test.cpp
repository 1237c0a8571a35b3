#include "model/fedcars/context_score.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace sotto::model::context_score_test {

using Counts = std::vector<std::uint32_t>;

// Two people. Values: daypart day 0, night 1; genre Horror 2, Comedy 3, Drama 4; year 1990 5, 1994 6, 2010 7;
// job teacher 8.
Contexts world() {
  Contexts contexts;
  contexts.dimensions = {
      {.name = "daypart", .values = {"day", "night"}, .first = 0},
      {.name = "genre", .source = ContextSource::item, .values = {"Horror", "Comedy", "Drama"}, .first = 2},
      {.name = "year", .source = ContextSource::item, .values = {"1990", "1994", "2010"}, .first = 5},
      {.name = "job", .source = ContextSource::person, .values = {"teacher"}, .first = 8}};
  contexts.items = {{0, 3, 5, 6, 9, 11, 11}, {2, 3, 5, 2, 6, 3, 2, 4, 7, 4, 6}};
  contexts.people = {{0, 1, 1}, {8}};
  contexts.train = {1, {0, 0, 1, 1, no_context}};
  return contexts;
}
// The first has items 0 (newest), 1 and 4; the second 2 and 3 (newest).
Histories histories() { return {{0, 3, 5}, {{0}, {1}, {4}, {2}, {3}}, {0, 1, 2, 1, 0}}; }

TEST(ContextScore, AWorkedExample) {
  const ContextCounts counts = count_contexts(world(), histories(), UserIndex{0});
  EXPECT_EQ(counts.records, 3u);
  EXPECT_EQ(counts.of, (std::vector<Counts>{{2, 1}, {2, 1, 1}, {1, 2, 0}, {3}}));
  EXPECT_EQ(counts.records_with, (Counts{3, 3, 3, 3}));
  // H(2/3, 1/3) = log2 3 − 2/3 = 0.9182958; H(1/2, 1/4, 1/4) = 1.5; log2 3 = 1.5849625.
  EXPECT_NEAR(spread(counts.of[0]), 0.9182958, 1e-7);
  EXPECT_NEAR(spread(counts.of[1]), 1.5 / 1.5849625, 1e-7);
  EXPECT_NEAR(spread(counts.of[2]), 0.9182958 / 1.5849625, 1e-7);
  EXPECT_EQ(spread(counts.of[3]), 0.0);
  EXPECT_NEAR(context_score(counts), (0.9182958 + 0.9463946 + 0.5793802) / 4.0, 1e-6);
  // As printed: n = 3 records, D = 4. Genre: −(2/3 log2 2/3 + 2 · 1/3 log2 1/3) = 0.3899750 + 1.0566417.
  EXPECT_NEAR(*literal_context_score(counts), (0.9182958 + 1.4466167 + 0.9182958) / 2.0, 1e-6);
}

TEST(ContextScore, ADimensionWithoutValuesIsNone) {
  const ContextCounts counts{.of = {{1, 1}, {}, {2, 0}}, .records_with = {2, 0, 2}, .records = 2};
  EXPECT_NEAR(context_score(counts), 0.5, 1e-12);
  EXPECT_NEAR(*literal_context_score(counts), 1.0, 1e-12);
}

TEST(ContextScore, WhatIsMissingIsNotCounted) {
  const ContextCounts counts = count_contexts(world(), histories(), UserIndex{1});
  EXPECT_EQ(counts.of[0], (Counts{0, 1}));
  EXPECT_EQ(counts.records_with, (Counts{1, 2, 1, 0}));
  const ContextCounts nobody = count_contexts(world(), Histories(2), UserIndex{1});
  EXPECT_EQ(context_score(nobody), 0.0);
  EXPECT_FALSE(literal_context_score(nobody));
  EXPECT_FALSE(literal_context_score({.of = {{1, 1}}, .records_with = {2}, .records = 2}));
}

RC_GTEST_PROP(ContextScoreLaw, ItIsInRangeAndDoesNotDependOnTheOrderOfValues, ()) {
  const auto drawn = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 50));
  const double value = spread(drawn);
  RC_ASSERT(value >= 0.0 && value <= 1.0);
  RC_ASSERT(informativeness(drawn) == 1.0 - value);
  Counts sorted = drawn;
  std::sort(sorted.begin(), sorted.end());
  RC_ASSERT(std::abs(spread(sorted) - value) < 1e-12);
}

RC_GTEST_PROP(ContextScoreLaw, OneValueSpreadsNothingAndAllEquallyOftenAll, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(2, 40);
  const auto often = *rc::gen::inRange<std::uint32_t>(1, 1000);
  RC_ASSERT(std::abs(spread(Counts(size, often)) - 1.0) < 1e-12);
  Counts one(size, 0);
  one[*rc::gen::inRange<std::size_t>(0, size)] = often;
  RC_ASSERT(spread(one) == 0.0);
  RC_ASSERT(spread(Counts{often}) == 0.0);
}

TEST(ContextNeighbours, TheNewestComeFirstAndAllWithoutTimes) {
  using Items = std::vector<ItemIndex>;
  EXPECT_EQ(newest_items(histories(), UserIndex{0}, 2), (Items{{0}, {1}}));
  EXPECT_EQ(newest_items(histories(), UserIndex{1}, 9), (Items{{3}, {2}}));
  EXPECT_EQ(newest_items(Histories({0, 2}, {{5}, {8}}), UserIndex{0}, 1), (Items{{5}, {8}}));
}

TEST(ContextNeighbours, AWorkedExample) {
  const std::vector<ItemIndex> recent{{0}, {1}}, had{{0}, {1}};
  const std::vector<double> weights{1.0, 3.0, 1.0, 1.0};
  const auto near = contextual_neighbours(world(), recent, had, weights, 6, 10);
  // Item 0: Horror, Comedy, 1990; item 1: Horror, 1994. Item 2: Comedy; item 3: Horror, Drama, 2010;
  // item 4: Drama, 1994; item 5 has nothing. Genre ×3, year ×1, two recent ones: out of 8.
  ASSERT_EQ(near.size(), 3u);
  EXPECT_EQ(near[0].item, ItemIndex{3});
  EXPECT_NEAR(near[0].likeness, 3.0 * (1.0 / 3.0 + 0.5) / 8.0, 1e-12);
  EXPECT_EQ(near[1].item, ItemIndex{4});
  EXPECT_NEAR(near[1].likeness, (0.6 + 1.0) / 8.0, 1e-12);
  EXPECT_EQ(near[2].item, ItemIndex{2});
  EXPECT_NEAR(near[2].likeness, 3.0 * 0.5 / 8.0, 1e-12);
  // A dimension that is not let in is not looked at.
  const auto by_year = contextual_neighbours(world(), recent, had, std::vector{1.0, 0.0, 1.0, 1.0}, 6, 10);
  ASSERT_EQ(by_year.size(), 1u);
  EXPECT_EQ(by_year[0].item, ItemIndex{4});
  EXPECT_TRUE(contextual_neighbours(world(), recent, had, std::vector(4, 0.0), 6, 10).empty());
  EXPECT_EQ(contextual_neighbours(world(), recent, had, weights, 6, 1).size(), 1u);
}

}  // namespace sotto::model::context_score_test
