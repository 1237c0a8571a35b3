#include "privacy/audit/unmixing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/audit/seen_odds.h"

namespace sotto::privacy::unmixing_test {

ItemFeatures features_of(const std::vector<std::vector<std::uint32_t>>& items) {
  FeatureList list;
  list.intern_predicate("about");
  for (std::uint32_t item = 0; item < items.size(); ++item) {
    list.items.intern(std::to_string(item));
    for (const std::uint32_t object : items[item]) {
      // Names ascend as numbers do, so that features keep their numbers.
      for (std::uint32_t n = 0; n <= object; ++n) list.objects.intern(std::string(1, char('a' + n)));
      list.facts.push_back({item, 0, object});
    }
  }
  list.settle();
  return {list, list.items, {.min_items = 1, .max_hops = 1}};
}

// With as many features as items and each item alone with its feature, the ridge halves each number (X is the
// unit matrix, ridge 1).
TEST(Unmixing, IsTheRidgeWhereItCanBeSolvedByHand) {
  const ItemFeatures features = features_of({{0}, {1}, {2}});
  const std::vector<float> items = unmixed(features, std::vector<float>{1.0f, -2.0f, 0.0f}, 10);
  EXPECT_NEAR(items[0], 0.5, 1e-6);
  EXPECT_NEAR(items[1], -1.0, 1e-6);
  EXPECT_EQ(items[2], 0.0f);
  // Only the strongest is explained.
  EXPECT_EQ(unmixed(features, std::vector<float>{1.0f, -2.0f, 0.0f}, 1)[0], 0.0f);
  EXPECT_EQ(unmixed(features, std::vector<float>{0.0f, 0.0f, 0.0f}, 10), (std::vector<float>{0, 0, 0}));
}

// Item 0 has features 0 to 3 and explains them all. Item 1 shares two of them and has two that were not seen;
// item 2 shares none.
TEST(Unmixing, PrefersTheItemThatExplainsAllFeatures) {
  const ItemFeatures features = features_of({{0, 1, 2, 3}, {0, 1, 4, 5}, {4, 5, 6, 7}});
  const std::vector<float> items = unmixed(features, std::vector<float>{1, 1, 1, 1, 0, 0, 0, 0}, 10);
  EXPECT_GT(items[0], 2.0f * items[1]);
  EXPECT_EQ(items[2], 0.0f);
}

TEST(SeenOdds, AreThoseOfTheKnown) {
  const ItemFeatures features = features_of({{0}, {0}, {1}, {1}});
  SeenOdds odds(features);
  const std::vector<std::uint8_t> first{1, 0}, second{0, 1};
  const std::vector<ItemIndex> zero{{0}}, two{{2}};
  for (int n = 0; n < 100; ++n) odds.add(first, zero), odds.add(second, two);
  // Feature 0: of 100 consumed pairs all seen; of 300 others (100 of the same person, 200 of the second)
  // 100 seen. Feature 1 the same.
  const double own = (100 + 20 * (200.5 / 201.0)) / 120.0;
  const double other = (100 + 20 * (200.5 / 601.0)) / 320.0;
  const std::vector<float> scores = odds.score(first);
  EXPECT_NEAR(scores[0], std::log(own / other), 1e-6);
  EXPECT_NEAR(scores[2], std::log((1 - own) / (1 - other)), 1e-4);
}

}  // namespace sotto::privacy::unmixing_test
