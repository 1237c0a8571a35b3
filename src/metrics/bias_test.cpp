#include "metrics/bias.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/central/testing/small_worlds.h"

namespace sotto::metrics::bias_test {

// Items 0…4 with 6, 2, 1, 1, 0 interactions: 80% of 10 is 8, so the head is {0, 1}.
const std::vector<std::uint32_t> popularity{6, 2, 1, 1, 0};
const std::vector<std::uint8_t> head{1, 1, 0, 0, 0};
// Lists of two users: [0, 2] and [1, 0].
const TopLists lists{2, {{0}, {1}}, items_of({0, 2, 1, 0}), {2, 2}};

TEST(Bias, HeadReachesEightyPercent) {
  EXPECT_EQ(popular_head(popularity), head);
  // The item that crosses the line belongs to the head; ties go by index.
  EXPECT_EQ(popular_head(std::vector<std::uint32_t>{3, 3, 3, 1}), (std::vector<std::uint8_t>{1, 1, 1, 0}));
  EXPECT_EQ(popular_head(std::vector<std::uint32_t>{1, 1, 1, 1}, 0.5),
            (std::vector<std::uint8_t>{1, 1, 0, 0}));
}

TEST(Bias, PopularityAndLongTailOfTheLists) {
  EXPECT_DOUBLE_EQ(average_popularity(lists, 2, popularity), ((6 + 1) / 2.0 + (2 + 6) / 2.0) / 2);
  EXPECT_DOUBLE_EQ(long_tail_share(lists, 2, head), (0.5 + 0) / 2);
  EXPECT_DOUBLE_EQ(long_tail_count(lists, 2, head), (1 + 0) / 2.0);
  EXPECT_DOUBLE_EQ(average_popularity(lists, 1, popularity), (6 + 2) / 2.0);
  EXPECT_DOUBLE_EQ(long_tail_count(lists, 1, head), 0.0);
}

TEST(Bias, OpportunityComparesHitRatesOfHeadAndTail) {
  const Histories test = histories_of({{0, 2, 3}, {0, 1, 7}});  // 7 lies outside the catalogue
  const ItemsOf relevant = [&](UserIndex user) { return test.of(user); };
  // Head: 3 of 3 found; tail: 1 of 2. |1 − .5| / 1.5.
  EXPECT_DOUBLE_EQ(popularity_opportunity(lists, 2, head, relevant), 0.5 / 1.5);
}

TEST(Bias, ParityComparesWhatIsShownWithWhatCouldBe) {
  const Histories train = histories_of({{1, 4}, {2}});
  const std::vector<ItemsOf> masked{[&](UserIndex user) { return train.of(user); }};
  // Head: 3 shown of (1 + 2); tail: 1 shown of (2 + 2). |1 − .25| / 1.25.
  EXPECT_DOUBLE_EQ(popularity_parity(lists, 2, head, masked), 0.75 / 1.25);
}

TEST(Bias, AGroupWithNothingToFindIsNotANumber) {
  const Histories test = histories_of({{0}, {1}});
  EXPECT_TRUE(
      std::isnan(popularity_opportunity(lists, 2, head, [&](UserIndex user) { return test.of(user); })));
}

TEST(Bias, DisparityWorkedExample) {
  // Catalogue of 4: two bars, one museum, one without a label; item 4 lies outside the catalogue.
  const std::vector<std::string> categories{"museum", "bar", "bar", "", "zoo"};
  const Histories train = histories_of({{1, 3}, {0, 2}, {0}});  // the third user is not judged
  const TopLists shown{2, {{0}, {1}}, items_of({0, 2, 3, 1}), {2, 2}};
  const auto biases = bias_disparity(shown, 2, categories, train, 4);
  ASSERT_EQ(biases.size(), 2u);
  EXPECT_EQ(biases[0].category, "bar");
  EXPECT_EQ(biases[0].items, 2u);
  // Bars: 2/3 of the labelled items; source 2/3 (items 1, 2 of 1, 0, 2), recommended 2/3 (2, 1 of 0, 2, 1).
  EXPECT_DOUBLE_EQ(biases[0].source, 1.0);
  EXPECT_DOUBLE_EQ(biases[0].disparity, 0.0);
  EXPECT_EQ(biases[1].category, "museum");
  EXPECT_DOUBLE_EQ(biases[1].recommended, 1.0);
  // Only first places: museum 1 of 1 (item 3 has no label): (1)/(1/3) = 3 against 1.
  const auto first = bias_disparity(shown, 1, categories, train, 4);
  EXPECT_DOUBLE_EQ(first[1].recommended, 3.0);
  EXPECT_DOUBLE_EQ(first[1].disparity, 2.0);
  EXPECT_DOUBLE_EQ(first[0].disparity, -1.0);
}

}  // namespace sotto::metrics::bias_test
