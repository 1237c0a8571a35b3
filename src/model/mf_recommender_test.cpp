#include "model/mf_recommender.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "model/central/testing/small_worlds.h"

namespace sotto::model::mf_recommender_test {

RowMatrix random_matrix(std::size_t rows, std::size_t width, std::uint32_t round) {
  RowMatrix matrix(rows, width);
  for (std::uint32_t row = 0; row < rows; ++row) {
    Stream stream(11, Purpose::init_shared, round, row);
    for (float& value : matrix.values(row)) value = static_cast<float>(stream.normal());
  }
  return matrix;
}

RowMatrix random_users(std::size_t rows, std::size_t width) {
  RowMatrix matrix = random_matrix(rows, width, 1);
  for (std::size_t row = 0; row < rows; ++row) matrix.row(row)[width - 1] = 1.0f;
  return matrix;
}

double plain_score(const RowMatrix& users, std::size_t user, const RowMatrix& items, std::size_t item) {
  const std::size_t factors = users.width() - 1;
  double sum = static_cast<double>(items.row(item)[factors]);
  for (std::size_t k = 0; k < factors; ++k)
    sum += static_cast<double>(users.row(user)[k]) * static_cast<double>(items.row(item)[k]);
  return sum;
}

TEST(MfRecommender, ScoresAreProductsPlusBias) {
  const RowMatrix users = random_users(5, 21);
  const RowMatrix items = random_matrix(300, 21, 2);
  const MfRecommender model(&users, &items, {});
  const std::vector<UserIndex> asked{{4}, {0}};
  std::vector<float> out(2 * 300);
  model.score(asked, {0, 300}, out);
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t item = 0; item < 300; ++item)
      EXPECT_NEAR(static_cast<double>(out[k * 300 + item]), plain_score(users, asked[k].value, items, item),
                  1e-4);
}

// The law, one column after the other.
float chain(const float* p, const float* q, std::size_t width) {
  float sum = 0.0f;
  for (std::size_t k = 0; k < width; ++k) sum = std::fma(p[k], q[k], sum);
  return sum;
}

TEST(MfRecommender, EveryWayToAScoreIsTheSameChain) {
  const std::size_t count = 150;
  for (const std::size_t width : {2u, 16u, 21u, 66u}) {
    const RowMatrix users = random_users(30, width);
    const RowMatrix items = random_matrix(count, width, 2);
    const MfRecommender model(&users, &items, {});
    std::vector<UserIndex> all;
    for (std::uint32_t user = 0; user < 30; ++user) all.push_back(UserIndex{user});
    std::vector<float> block(30 * count);
    model.score(all, {0, count}, block);
    const auto asked = items_of({0, 63, 64, 149});
    std::vector<float> some(asked.size());
    for (const UserIndex user : all) {
      for (std::size_t item = 0; item < count; ++item)
        ASSERT_EQ(block[user.value * count + item], chain(users.row(user.value), items.row(item), width));
      model.score_items(user, asked, some);
      for (std::size_t n = 0; n < asked.size(); ++n)
        ASSERT_EQ(some[n], block[user.value * count + asked[n].value]);
    }
    const auto history = items_of({3, 9, 40});
    const RowMatrix vector = model.fold_in(history);
    std::vector<float> folded(count);
    model.score_history(history, folded);
    for (std::size_t item = 0; item < count; ++item)
      ASSERT_EQ(folded[item], chain(vector.row(0), items.row(item), width));
  }
}

RC_GTEST_PROP(MfRecommender, BlocksDoNotMatter, ()) {
  const auto factors = *rc::gen::inRange<std::size_t>(1, 40);
  const std::size_t count = 150;
  const RowMatrix users = random_users(3, factors + 1);
  const RowMatrix items = random_matrix(count, factors + 1, 2);
  const MfRecommender model(&users, &items, {});
  const std::vector<UserIndex> all{{0}, {1}, {2}};
  std::vector<float> whole(3 * count);
  model.score(all, {0, count}, whole);
  const auto begin = *rc::gen::inRange<std::uint32_t>(0, count);
  const auto end = *rc::gen::inRange<std::uint32_t>(begin, count + 1);
  std::vector<float> part(end - begin);
  model.score(std::span(all).subspan(1, 1), {begin, end}, part);
  for (std::uint32_t item = begin; item < end; ++item) RC_ASSERT(part[item - begin] == whole[count + item]);
}

TEST(MfRecommender, SimilarIsTheCosineWithoutBias) {
  RowMatrix items(4, 3);
  const float rows[4][3] = {{1, 0, 9}, {2, 0, -9}, {0, 3, 9}, {0, 0, 9}};
  for (std::size_t item = 0; item < 4; ++item) std::copy_n(rows[item], 3, items.row(item));
  const MfRecommender model(random_users(1, 3), std::move(items), {});
  std::vector<float> out(4);
  ASSERT_TRUE(model.similar(ItemIndex{0}, out).ok());
  EXPECT_EQ(out, (std::vector<float>{1, 1, 0, 0}));
}

TEST(MfRecommender, FoldInTurnsTowardsTheHistory) {
  // Two directions; whoever likes the first kind gets more of the first kind.
  RowMatrix items(20, 3);
  for (std::size_t item = 0; item < 20; ++item) items.row(item)[item % 2] = 1.0f;
  const MfRecommender model(random_users(1, 3), std::move(items), {});
  std::vector<float> out(20);
  model.score_history(items_of({0, 2, 4}), out);
  EXPECT_GT(out[6], out[1] + 0.5f);
  model.score_history(items_of({1, 3, 5}), out);
  EXPECT_GT(out[7], out[0] + 0.5f);
}

TEST(MfRecommender, FoldInIsDeterministicAndKeepsTheConstant) {
  const MfRecommender model(random_users(1, 6), random_matrix(50, 6, 2), {});
  const auto history = items_of({3, 9, 40});
  const RowMatrix one = model.fold_in(history);
  const RowMatrix two = model.fold_in(history);
  EXPECT_TRUE(std::equal(one.row(0), one.row(0) + one.stride(), two.row(0)));
  EXPECT_EQ(one.row(0)[5], 1.0f);
  for (std::size_t k = 6; k < one.stride(); ++k) EXPECT_EQ(one.row(0)[k], 0.0f);
}

TEST(MfRecommender, WithoutHistoryOrWithTheWholeCatalogueTheBiasSpeaks) {
  const RowMatrix items = random_matrix(5, 4, 2);
  const RowMatrix users = random_users(1, 4);
  const MfRecommender model(&users, &items, {});
  std::vector<float> out(5);
  for (const auto& history : {items_of({}), items_of({0, 1, 2, 3, 4})}) {
    model.score_history(history, out);
    for (std::size_t item = 0; item < 5; ++item) EXPECT_EQ(out[item], items.row(item)[3]);
  }
}

}  // namespace sotto::model::mf_recommender_test
