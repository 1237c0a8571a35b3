#include "metrics/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/central/small_worlds.h"

namespace sotto {
namespace {

// Hits at places 2 and 4 of 5; three relevant items.
const auto list = items_of({10, 3, 11, 7, 12});
const auto relevant = items_of({3, 7, 99});

TEST(Accuracy, WorkedExample) {
  EXPECT_EQ(hits_at(list, relevant, 5), 2u);
  EXPECT_DOUBLE_EQ(precision_at(list, relevant, 5), 2.0 / 5);
  EXPECT_DOUBLE_EQ(recall_at(list, relevant, 5), 2.0 / 3);
  EXPECT_DOUBLE_EQ(f1_at(list, relevant, 5), 0.5);  // 2·(.4·.6667)/(.4+.6667)
  EXPECT_DOUBLE_EQ(hit_rate_at(list, relevant, 5), 1.0);
  EXPECT_DOUBLE_EQ(reciprocal_rank_at(list, relevant, 5), 0.5);
  // P@1…P@5 = 0, 1/2, 1/3, 2/4, 2/5
  EXPECT_DOUBLE_EQ(average_precision_at(list, relevant, 5), (0.5 + 1.0 / 3 + 0.5 + 0.4) / 5);
  const double gained = 1 / std::log2(3.0) + 1 / std::log2(5.0);
  const double ideal = 1 + 1 / std::log2(3.0) + 1 / std::log2(4.0);
  EXPECT_DOUBLE_EQ(ndcg_at(list, relevant, 5), gained / ideal);
}

TEST(Accuracy, OnlyTheFirstPlacesCount) {
  EXPECT_DOUBLE_EQ(precision_at(list, relevant, 3), 1.0 / 3);
  EXPECT_DOUBLE_EQ(recall_at(list, relevant, 1), 0.0);
  EXPECT_DOUBLE_EQ(f1_at(list, relevant, 1), 0.0);
  EXPECT_DOUBLE_EQ(hit_rate_at(list, relevant, 1), 0.0);
  EXPECT_DOUBLE_EQ(reciprocal_rank_at(list, relevant, 1), 0.0);
  EXPECT_DOUBLE_EQ(ndcg_at(list, relevant, 2), (1 / std::log2(3.0)) / (1 + 1 / std::log2(3.0)));
}

TEST(Accuracy, AShortListIsStillJudgedByK) {
  EXPECT_DOUBLE_EQ(precision_at(list, relevant, 10), 0.2);
  // P@6…P@10 = 2/6, 2/7, 2/8, 2/9, 2/10
  EXPECT_DOUBLE_EQ(average_precision_at(list, relevant, 10),
                   (0.5 + 1.0 / 3 + 0.5 + 0.4 + 2.0 / 6 + 2.0 / 7 + 2.0 / 8 + 2.0 / 9 + 2.0 / 10) / 10);
}

TEST(Accuracy, APerfectListScoresOne) {
  const auto perfect = items_of({7, 3, 99});
  EXPECT_DOUBLE_EQ(ndcg_at(perfect, relevant, 3), 1.0);
  EXPECT_DOUBLE_EQ(f1_at(perfect, relevant, 3), 1.0);
  EXPECT_DOUBLE_EQ(average_precision_at(perfect, relevant, 3), 1.0);
}

TEST(Auc, WorkedExample) {
  // Four negatives. One relevant item above three and level with one: 3.5/4; one below two: 2/4.
  const RankCount ranks[] = {{0, 1}, {2, 0}};
  EXPECT_DOUBLE_EQ(area_under_curve(ranks, 4, 2), (3.5 / 4 + 2.0 / 4) / 2);
  // A third relevant item that the model does not know stands below all.
  EXPECT_DOUBLE_EQ(area_under_curve(ranks, 4, 3), (3.5 / 4 + 2.0 / 4) / 3);
}

TEST(Auc, WithoutNegativesEveryOrderIsRight) {
  const RankCount ranks[] = {{0, 0}};
  EXPECT_DOUBLE_EQ(area_under_curve(ranks, 0, 1), 1.0);
}

}  // namespace
}  // namespace sotto
