#include "metrics/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "model/central/testing/small_worlds.h"

namespace sotto::metrics::accuracy_test {

// Hits at places 2 and 4 of 5; three relevant items.
const auto relevant = items_of({3, 7, 99});
const JudgedList list = [] {
  JudgedList judged;
  judged.judge(items_of({10, 3, 11, 7, 12}), relevant);
  return judged;
}();

TEST(Accuracy, WorkedExample) {
  EXPECT_EQ(hits_at(list, 5), 2u);
  EXPECT_DOUBLE_EQ(precision_at(list, 5), 2.0 / 5);
  EXPECT_DOUBLE_EQ(recall_at(list, 5), 2.0 / 3);
  EXPECT_DOUBLE_EQ(f1_at(list, 5), 0.5);  // 2·(.4·.6667)/(.4+.6667)
  EXPECT_DOUBLE_EQ(hit_rate_at(list, 5), 1.0);
  EXPECT_DOUBLE_EQ(reciprocal_rank_at(list, 5), 0.5);
  // P@1…P@5 = 0, 1/2, 1/3, 2/4, 2/5
  EXPECT_DOUBLE_EQ(average_precision_at(list, 5), (0.5 + 1.0 / 3 + 0.5 + 0.4) / 5);
  const double gained = 1 / std::log2(3.0) + 1 / std::log2(5.0);
  const double ideal = 1 + 1 / std::log2(3.0) + 1 / std::log2(4.0);
  EXPECT_DOUBLE_EQ(ndcg_at(list, 5), gained / ideal);
}

TEST(Accuracy, NdcgOfTheHitsForgivesWhatWasMissed) {
  // Places 2 and 4 have 1 and 1/log2(4) = 1/2; two hits in places 1 and 2 would have 2.
  EXPECT_DOUBLE_EQ(ndcg_of_hits_at(list, 5), 0.75);
  // One hit, in the second place, which is not discounted: nothing better, though two items are missing.
  EXPECT_DOUBLE_EQ(ndcg_of_hits_at(list, 3), 1.0);
  EXPECT_DOUBLE_EQ(ndcg_of_hits_at(list, 1), 0.0);
  JudgedList late;
  late.judge(items_of({1, 2, 3, 7, 99}), relevant);  // places 3, 4 and 5
  const double gained = 1 / std::log2(3.0) + 1 / std::log2(4.0) + 1 / std::log2(5.0);
  EXPECT_DOUBLE_EQ(ndcg_of_hits_at(late, 10), gained / (1 + 1 + 1 / std::log2(3.0)));
}

TEST(Accuracy, OnlyTheFirstPlacesCount) {
  EXPECT_DOUBLE_EQ(precision_at(list, 3), 1.0 / 3);
  EXPECT_DOUBLE_EQ(recall_at(list, 1), 0.0);
  EXPECT_DOUBLE_EQ(f1_at(list, 1), 0.0);
  EXPECT_DOUBLE_EQ(hit_rate_at(list, 1), 0.0);
  EXPECT_DOUBLE_EQ(reciprocal_rank_at(list, 1), 0.0);
  EXPECT_DOUBLE_EQ(ndcg_at(list, 2), (1 / std::log2(3.0)) / (1 + 1 / std::log2(3.0)));
}

TEST(Accuracy, AShortListIsStillJudgedByK) {
  EXPECT_DOUBLE_EQ(precision_at(list, 10), 0.2);
  // P@6…P@10 = 2/6, 2/7, 2/8, 2/9, 2/10
  EXPECT_DOUBLE_EQ(average_precision_at(list, 10),
                   (0.5 + 1.0 / 3 + 0.5 + 0.4 + 2.0 / 6 + 2.0 / 7 + 2.0 / 8 + 2.0 / 9 + 2.0 / 10) / 10);
}

TEST(Accuracy, APerfectListScoresOne) {
  JudgedList perfect = list;  // can be used again
  perfect.judge(items_of({7, 3, 99}), relevant);
  EXPECT_DOUBLE_EQ(ndcg_at(perfect, 3), 1.0);
  EXPECT_DOUBLE_EQ(f1_at(perfect, 3), 1.0);
  EXPECT_DOUBLE_EQ(average_precision_at(perfect, 3), 1.0);
}

TEST(Accuracy, PlacesBeyondTheUsualOnesAreDiscountedToo) {
  std::vector<std::uint32_t> long_list(200);
  std::iota(long_list.begin(), long_list.end(), 0u);
  std::vector<ItemIndex> items;
  for (const std::uint32_t item : long_list) items.push_back(ItemIndex{item});
  JudgedList judged;
  judged.judge(items, items_of({150}));
  EXPECT_DOUBLE_EQ(ndcg_at(judged, 200), 1 / std::log2(152.0));
}

TEST(Auc, WorkedExample) {
  // Four negatives. One relevant item above three and level with one: 3.5/4; one below two: 2/4.
  const kernels::PairCount pairs{.above = 0 + 2, .level = 1 + 0};
  EXPECT_DOUBLE_EQ(area_under_curve(pairs, 2, 4, 2), (3.5 / 4 + 2.0 / 4) / 2);
  // A third relevant item that the model does not know stands below all.
  EXPECT_DOUBLE_EQ(area_under_curve(pairs, 2, 4, 3), (3.5 / 4 + 2.0 / 4) / 3);
}

TEST(Auc, WithoutNegativesEveryOrderIsRight) {
  EXPECT_DOUBLE_EQ(area_under_curve({}, 1, 0, 1), 1.0);
  EXPECT_DOUBLE_EQ(area_under_curve({}, 1, 0, 2), 0.5);
}

}  // namespace sotto::metrics::accuracy_test
