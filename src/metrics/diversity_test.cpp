#include "metrics/diversity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "model/central/testing/small_worlds.h"

namespace sotto::metrics::diversity_test {

using Counts = std::vector<std::uint64_t>;

TEST(Diversity, WorkedExample) {
  // Ascending 0, 0, 1, 3: Σ(2j − 5)c = 1·1 + 3·3 = 10, over (4 − 1)·4 = 12.
  const Counts counts{3, 0, 1, 0};
  EXPECT_EQ(item_coverage(counts), 2u);
  EXPECT_DOUBLE_EQ(gini(counts), 1 - 10.0 / 12);
  // Only 1, 3: Σ(2j − 3)c = −1 + 3 = 2, over 1·4.
  EXPECT_DOUBLE_EQ(gini_recommended(counts), 0.5);
  EXPECT_DOUBLE_EQ(shannon_entropy(counts), 0.75 * std::log2(4.0 / 3) + 0.25 * 2);
}

TEST(Diversity, EvenCountsAreOneAndAllOnOneItemIsZero) {
  EXPECT_DOUBLE_EQ(gini(Counts{2, 2, 2, 2}), 1.0);
  EXPECT_DOUBLE_EQ(shannon_entropy(Counts{2, 2, 2, 2}), 2.0);
  EXPECT_DOUBLE_EQ(gini(Counts{0, 0, 8, 0}), 0.0);
  EXPECT_DOUBLE_EQ(shannon_entropy(Counts{0, 0, 8, 0}), 0.0);
}

TEST(Diversity, OneItemOrNothingCannotBeUnequal) {
  EXPECT_DOUBLE_EQ(gini(Counts{5}), 1.0);
  EXPECT_DOUBLE_EQ(gini(Counts{0, 0}), 1.0);
  EXPECT_DOUBLE_EQ(gini_recommended(Counts{0, 4}), 1.0);
  EXPECT_DOUBLE_EQ(shannon_entropy(Counts{0, 0}), 0.0);
}

RC_GTEST_PROP(Diversity, GiniIsTheMeanDifferenceOfAllPairs, ()) {
  // Another form of the coefficient: Σ_ij |c_i − c_j| / (2 n Σc), corrected by n/(n − 1).
  const auto drawn = *rc::gen::suchThat(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9)),
                                        [](const std::vector<int>& v) { return v.size() > 1; });
  double differences = 0;
  double total = 0;
  for (const int a : drawn) {
    total += a;
    for (const int b : drawn) differences += std::abs(a - b);
  }
  RC_PRE(total > 0);
  const auto n = static_cast<double>(drawn.size());
  const double expected = 1 - differences / (2 * n * total) * n / (n - 1);
  RC_ASSERT(std::fabs(gini(Counts(drawn.begin(), drawn.end())) - expected) < 1e-12);
}

TEST(Diversity, CountsOnlyTheFirstPlaces) {
  TopLists lists{3, {{0}, {1}}, items_of({4, 2, 0, 2, 1, 0}), {3, 2}};
  EXPECT_EQ(recommendation_counts(lists, 3, 5), (Counts{1, 1, 2, 0, 1}));
  EXPECT_EQ(recommendation_counts(lists, 1, 5), (Counts{0, 0, 1, 0, 1}));
}

}  // namespace sotto::metrics::diversity_test
