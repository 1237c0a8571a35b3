#include "metrics/top_k.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "model/central/random_scores.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::metrics::top_k_test {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<std::uint32_t> indices(const std::vector<ScoredItem>& list) {
  std::vector<std::uint32_t> result;
  for (const auto& entry : list) result.push_back(entry.item.value);
  return result;
}

// Sorts everything.
std::vector<ScoredItem> slow_top(const std::vector<float>& scores, const std::vector<ItemIndex>& seen,
                                 std::size_t k) {
  std::vector<ScoredItem> all;
  for (std::uint32_t item = 0; item < scores.size(); ++item)
    if (scores[item] > -infinity && std::find(seen.begin(), seen.end(), ItemIndex{item}) == seen.end())
      all.push_back({ItemIndex{item}, scores[item]});
  std::stable_sort(all.begin(), all.end(),
                   [](const ScoredItem& a, const ScoredItem& b) { return a.score > b.score; });
  all.resize(std::min(k, all.size()));
  return all;
}

TEST(TopK, TiesFallToTheSmallerIndex) {
  EXPECT_EQ(indices(top_items({1, 3, 2, 3, 2, 3}, {}, 4)), (std::vector<std::uint32_t>{1, 3, 5, 2}));
}

TEST(TopK, SeenItemsAreLeftOutAndShortListsStayShort) {
  EXPECT_EQ(indices(top_items({5, 4, 3, 2}, items_of({0, 2}), 10)), (std::vector<std::uint32_t>{1, 3}));
}

TEST(TopK, MinusInfinityAndNotANumberAreNeverChosen) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(indices(top_items({nan, -infinity, -1e30f, nan, infinity}, {}, 5)),
            (std::vector<std::uint32_t>{4, 2}));
}

TEST(TopK, ZeroPlacesGiveAnEmptyList) { EXPECT_TRUE(top_items({1, 2}, {}, 0).empty()); }

TEST(TopK, CanBeUsedAgain) {
  TopK best(1);
  best.offer(0, std::vector<float>{9, 8});
  EXPECT_EQ(indices(best.take()), (std::vector<std::uint32_t>{0}));
  best.offer(0, std::vector<float>{1, 2});
  EXPECT_EQ(indices(best.take()), (std::vector<std::uint32_t>{1}));
}

TEST(TopKDeathTest, BlocksComeInOrder) {
  TopK best(1);
  best.offer(5, std::vector<float>{1});
  EXPECT_DEATH(best.offer(3, std::vector<float>{1}), "ascending");
}

RC_GTEST_PROP(TopK, EqualsSortingEverythingForAnyBlocks, ()) {
  // Few different scores: many ties.
  const auto drawn = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6));
  const auto k = *rc::gen::inRange<std::size_t>(0, 12);
  const auto block = *rc::gen::inRange<std::size_t>(1, 20);
  std::vector<float> scores;
  std::vector<ItemIndex> seen;
  for (const int value : drawn) {
    scores.push_back(static_cast<float>(value));
    if (*rc::gen::inRange(0, 4) == 0)
      seen.push_back(ItemIndex{static_cast<std::uint32_t>(scores.size() - 1)});
  }
  TopK best(k);
  for (std::size_t begin = 0; begin < scores.size(); begin += block) {
    const std::size_t end = std::min(begin + block, scores.size());
    std::vector<float> part(scores.begin() + static_cast<std::ptrdiff_t>(begin),
                            scores.begin() + static_cast<std::ptrdiff_t>(end));
    mask_seen(seen, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, part);
    best.offer(static_cast<std::uint32_t>(begin), part);
  }
  RC_ASSERT(best.take() == slow_top(scores, seen, k));
}

TEST(Recommend, EqualsSortingTheModelsScores) {
  const RandomScores model(1000, 3);
  std::vector<float> scores(1000);
  const UserIndex user{5};
  model.score(std::span(&user, 1), {0, 1000}, scores);
  const auto seen = items_of({1, 2, 3, 500, 999});
  for (const std::size_t block : {1u, 7u, 1000u, 5000u})
    EXPECT_EQ(recommend(model, user, seen, 50, block), slow_top(scores, seen, 50));
}

}  // namespace sotto::metrics::top_k_test
