#include "data/kg/census.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/feature_counts.h"

namespace sotto::data::census_test {

TEST(Census, CountsByHand) {
  Census census;
  census.add({"a", "p", "b", false});
  census.add({"a", "p", "b", false});
  census.add({"b", "q", "text", true});
  census.add({"c", "p", "d", false});
  EXPECT_EQ(census.statements, 4u);
  EXPECT_EQ(census.literals, 1u);
  EXPECT_EQ(census.entities.count(), 4u);
  EXPECT_TRUE(census.entities.exact());
  ASSERT_EQ(census.counts.size(), 2u);
  EXPECT_EQ(census.counts[0].statements, 3u);
  EXPECT_EQ(census.counts[0].examples, (std::vector<std::string>{"b", "d"}));
}

TEST(Census, ManyNamesAreEstimated) {
  DistinctCount names;
  constexpr std::uint64_t many = 1'000'000;
  for (int pass = 0; pass < 2; ++pass)
    for (std::uint64_t n = 0; n < many; ++n) names.add("http://example.org/" + std::to_string(n));
  EXPECT_FALSE(names.exact());
  // Five standard errors; the names are fixed, so this holds or it does not.
  EXPECT_NEAR(static_cast<double>(names.count()), static_cast<double>(many), 0.01 * many);
}

TEST(FeatureCounts, RareAndLongOnesGo) {
  FeatureList list;
  const std::uint32_t p = list.intern_predicate("p"), far = list.intern_predicate("p~q~r");
  const std::uint32_t common = list.objects.intern("common"), rare = list.objects.intern("rare");
  for (const char* item : {"1", "2", "3"}) {
    const std::uint32_t number = list.items.intern(item);
    list.facts.push_back({number, p, common});
    list.facts.push_back({number, far, common});
  }
  list.facts.push_back({0, p, rare});
  list.settle();
  const auto counted = count_features(list);
  ASSERT_EQ(counted.size(), 3u);
  EXPECT_EQ(counted[0].items, 3u);
  EXPECT_EQ(counted[1].items, 1u);
  // The same as ItemFeatures keeps.
  const FeatureFilter filter{.min_items = 2, .max_hops = 2};
  const ItemFeatures features(list, list.items, filter);
  drop_rare(list, filter);
  EXPECT_EQ(list.facts.size(), 3u);
  EXPECT_EQ(features.facts(), 3u);
  EXPECT_EQ(features.features(), 1u);
}

}  // namespace sotto::data::census_test
