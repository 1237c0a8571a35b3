#include "privacy/audit/leak_figures.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace sotto::privacy::leak_figures_test {

std::vector<ItemIndex> items(std::initializer_list<std::uint32_t> numbers) {
  std::vector<ItemIndex> list;
  for (const std::uint32_t number : numbers) list.push_back({number});
  return list;
}

TEST(LeakFigures, WorkedExample) {
  // From the top: own, other, own, other.
  const std::vector<float> scores{4, 3, 2, 1};
  const LeakFigures figures = judge_ranking(scores, items({0, 2}));
  EXPECT_DOUBLE_EQ(figures.auc, 0.75);
  EXPECT_DOUBLE_EQ(figures.f1, 0.5);
  EXPECT_DOUBLE_EQ(figures.named, 0.5);
  // 1% of two others is a fiftieth of one: the first place, and a fiftieth of nothing.
  EXPECT_DOUBLE_EQ(figures.tpr, 0.5);
}

TEST(LeakFigures, KnowingNothingGainsNothing) {
  const LeakFigures figures = judge_ranking(std::vector<float>(100, 0.0f), items({3, 50, 51, 99}));
  EXPECT_DOUBLE_EQ(figures.auc, 0.5);
  EXPECT_DOUBLE_EQ(figures.f1, 0.04);
  EXPECT_NEAR(figures.tpr, 0.01, 1e-12);
  EXPECT_DOUBLE_EQ(figures.named, 0.0);
}

TEST(LeakFigures, KnowingAllNamesAll) {
  const LeakFigures figures = judge_ranking(std::vector<float>{0, 1, 0, 1, 0}, items({1, 3}));
  EXPECT_DOUBLE_EQ(figures.auc, 1.0);
  EXPECT_DOUBLE_EQ(figures.f1, 1.0);
  EXPECT_DOUBLE_EQ(figures.tpr, 1.0);
  EXPECT_DOUBLE_EQ(figures.named, 1.0);
}

// AUC against the count of all pairs; F1 against the mean over every way to break the ties is left to the
// examples.
RC_GTEST_PROP(LeakFigures, AucCountsPairs, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(3, 40);
  std::vector<float> scores(size);
  for (float& score : scores) score = static_cast<float>(*rc::gen::inRange(0, 6));
  std::vector<ItemIndex> own;
  for (std::uint32_t item = 0; item + 1 < size; ++item)
    if (*rc::gen::inRange(0, 3) == 0) own.push_back({item});
  if (own.empty()) own.push_back({0});
  double won = 0.0, pairs = 0.0;
  for (const ItemIndex a : own)
    for (std::uint32_t b = 0; b < size; ++b) {
      if (std::binary_search(own.begin(), own.end(), ItemIndex{b})) continue;
      won += scores[a.value] > scores[b] ? 1.0 : scores[a.value] == scores[b] ? 0.5 : 0.0;
      pairs += 1.0;
    }
  const double auc = judge_ranking(scores, own).auc;
  RC_ASSERT(std::abs(auc - won / pairs) < 1e-12);
}

}  // namespace sotto::privacy::leak_figures_test
