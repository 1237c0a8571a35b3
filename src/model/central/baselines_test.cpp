#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "model/central/random_scores.h"
#include "model/central/testing/small_worlds.h"
#include "model/central/toppop.h"

namespace sotto::model::baselines_test {

TEST(TopPop, ScoresAreTrainingCountsForEverybody) {
  const Histories train = histories_of({{0, 2}, {2}, {1, 2}});
  const TopPop model(train, 4);
  const std::vector<UserIndex> users{{2}, {0}};
  std::vector<float> out(4);
  model.score(users, {1, 3}, out);
  EXPECT_EQ(out, (std::vector<float>{1, 3, 1, 3}));
  model.score_history({}, out);
  EXPECT_EQ(out, (std::vector<float>{1, 1, 3, 0}));
}

TEST(TopPop, HasNoNotionOfLikenessAndNamesTheRemedy) {
  const TopPop model(histories_of({{0}}), 1);
  std::vector<float> out(1);
  const Status status = model.similar(ItemIndex{0}, out);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::usage);
  EXPECT_NE(status.error().message.find("Item-kNN"), std::string::npos);
}

RC_GTEST_PROP(RandomScores, BlocksDoNotMatter, ()) {
  const RandomScores model(50, 9);
  const std::vector<UserIndex> users{{3}, {8}};
  std::vector<float> whole(100);
  model.score(users, {0, 50}, whole);
  const auto begin = *rc::gen::inRange<std::uint32_t>(0, 50);
  const auto end = *rc::gen::inRange<std::uint32_t>(begin, 51);
  std::vector<float> part(end - begin);
  model.score(std::span(users).last(1), {begin, end}, part);
  for (std::uint32_t item = begin; item < end; ++item) RC_ASSERT(part[item - begin] == whole[50 + item]);
}

TEST(RandomScores, AreUniformAndDifferByUserAndSeed) {
  const std::size_t count = 40000;
  std::vector<float> one(count), other(count), reseeded(count), nobody(count);
  const UserIndex first{0}, second{1};
  const ItemRange all{0, static_cast<std::uint32_t>(count)};
  RandomScores(count, 1).score(std::span(&first, 1), all, one);
  RandomScores(count, 1).score(std::span(&second, 1), all, other);
  RandomScores(count, 2).score(std::span(&first, 1), all, reseeded);
  RandomScores(count, 1).score_history({}, nobody);
  double mean = 0;
  double product = 0;
  std::set<float> distinct;
  for (std::size_t n = 0; n < count; ++n) {
    ASSERT_TRUE(one[n] >= 0.0f && one[n] < 1.0f);
    mean += static_cast<double>(one[n]) / static_cast<double>(count);
    product += (static_cast<double>(one[n]) - 0.5) * (static_cast<double>(other[n]) - 0.5);
    distinct.insert(one[n]);
  }
  EXPECT_NEAR(mean, 0.5, 0.01);                                   // 7 standard errors
  EXPECT_NEAR(product / static_cast<double>(count), 0.0, 0.003);  // 7 standard errors
  EXPECT_GT(distinct.size(), count - 200);
  EXPECT_NE(one, reseeded);
  EXPECT_NE(one, nobody);
}

TEST(RandomScores, HasNoNotionOfLikeness) {
  std::vector<float> out(3);
  EXPECT_FALSE(RandomScores(3, 1).similar(ItemIndex{0}, out).ok());
}

}  // namespace sotto::model::baselines_test
