#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "model/central/item_knn.h"
#include "model/central/testing/small_worlds.h"
#include "model/central/user_knn.h"

namespace sotto::model::knn_test {

// A dense table of zeros and ones, and everything by its definition.
struct Dense {
  bool of_items = false;
  std::vector<std::vector<double>> rows;

  Dense(const Rows& histories, std::size_t items) : rows(histories.size(), std::vector<double>(items, 0.0)) {
    for (std::size_t user = 0; user < histories.size(); ++user)
      for (const std::uint32_t item : histories[user]) rows[user][item] = 1.0;
  }
  [[nodiscard]] Dense transposed() const {
    Dense result({}, 0);
    const std::size_t columns = rows.empty() ? 0 : rows[0].size();
    result.of_items = true;
    result.rows.assign(columns, std::vector<double>(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < columns; ++c) result.rows[c][r] = rows[r][c];
    return result;
  }
  [[nodiscard]] float likeness(std::size_t a, std::size_t b, const KnnOptions& options) const {
    double common = 0, size_a = 0, size_b = 0, all = 0;
    const auto shrink = static_cast<double>(options.shrink);
    // Of the columns of items, which are people, only those with items count.
    for (std::size_t c = 0; c < rows[a].size(); ++c)
      all +=
          !of_items || std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row[c] != 0.0; })
              ? 1.0
              : 0.0;
    for (std::size_t c = 0; c < rows[a].size(); ++c) {
      common += rows[a][c] * rows[b][c];
      size_a += rows[a][c];
      size_b += rows[b][c];
    }
    if (common == 0) return 0.0f;
    if (options.similarity == Similarity::jaccard)
      return static_cast<float>(common / (size_a + size_b - common + shrink));
    if (options.similarity == Similarity::cosine)
      return static_cast<float>(common / (std::sqrt(size_a * size_b) + shrink));
    const double spread = std::sqrt(size_a * (all - size_a) * size_b * (all - size_b));
    return spread == 0 ? 0.0f
                       : static_cast<float>((all * common - size_a * size_b) / (spread + all * shrink));
  }
  [[nodiscard]] std::vector<Neighbor> nearest(std::size_t row, const KnnOptions& options) const {
    std::vector<Neighbor> found;
    for (std::uint32_t other = 0; other < rows.size(); ++other) {
      const float like = likeness(row, other, options);
      if (other != row && like > 0.0f) found.push_back({other, like});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Neighbor& a, const Neighbor& b) { return a.likeness > b.likeness; });
    found.resize(std::min<std::size_t>(found.size(), options.neighbors));
    return found;
  }
};

struct World {
  Rows rows;
  std::uint32_t items;
  KnnOptions options;
};

World random_world() {
  const auto users = *rc::gen::inRange<std::size_t>(1, 12);
  const auto items = *rc::gen::inRange<std::uint32_t>(1, 15);
  const auto shrink = static_cast<float>(*rc::gen::inRange(0, 3)) * 2.5f;
  const auto similarity = *rc::gen::element(Similarity::cosine, Similarity::jaccard, Similarity::pearson);
  const auto neighbors = *rc::gen::inRange<std::uint32_t>(1, 6);
  return {random_rows(users, items, 30), items, {neighbors, shrink, similarity}};
}

TEST(Likeness, PearsonIsTheCorrelationOfTheRows) {
  const std::vector<double> a{1, 1, 0, 1, 0, 0, 1}, b{1, 0, 0, 1, 0, 1, 1};
  double mean_a = 0, mean_b = 0, both = 0, square_a = 0, square_b = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    mean_a += a[n] / 7;
    mean_b += b[n] / 7;
  }
  for (std::size_t n = 0; n < a.size(); ++n) {
    both += (a[n] - mean_a) * (b[n] - mean_b);
    square_a += (a[n] - mean_a) * (a[n] - mean_a);
    square_b += (b[n] - mean_b) * (b[n] - mean_b);
  }
  KnnOptions options;
  options.similarity = Similarity::pearson;
  EXPECT_NEAR(likeness({3, 4, 4, 7}, options), both / std::sqrt(square_a * square_b), 1e-6);
  options.shrink = 2.5f;
  EXPECT_NEAR(likeness({3, 4, 4, 7}, options), both / (std::sqrt(square_a * square_b) + 2.5), 1e-6);
  EXPECT_EQ(likeness({3, 3, 7, 7}, options), 0.0f);  // a row that has everything
}

TEST(Likeness, IsNamedInPlans) {
  for (const Similarity similarity : {Similarity::cosine, Similarity::jaccard, Similarity::pearson})
    EXPECT_EQ(parse_similarity(to_string(similarity)).value(), similarity);
  EXPECT_FALSE(parse_similarity("euclid").ok());
}

std::vector<float> all_scores(const Recommender& model, std::uint32_t user) {
  std::vector<float> out(model.catalogue());
  const UserIndex index{user};
  model.score(std::span(&index, 1), {0, static_cast<std::uint32_t>(out.size())}, out);
  return out;
}

void expect_close(const std::vector<float>& scores, const std::vector<double>& expected) {
  RC_ASSERT(scores.size() == expected.size());
  for (std::size_t n = 0; n < scores.size(); ++n)
    RC_ASSERT(std::fabs(static_cast<double>(scores[n]) - expected[n]) < 1e-5);
}

RC_GTEST_PROP(UserKnn, EqualsBruteForce, ()) {
  const World world = random_world();
  const Histories train = histories_of(world.rows);
  const Dense dense(world.rows, world.items);
  SerialExecutor executor;
  const auto model = UserKnn::fit(train, world.items, world.options, executor);
  RC_ASSERT(model.ok());
  for (std::uint32_t user = 0; user < world.rows.size(); ++user) {
    std::vector<double> expected(world.items, 0.0);
    for (const Neighbor& near : dense.nearest(user, world.options))
      for (const std::uint32_t item : world.rows[near.index])
        expected[item] += static_cast<double>(near.likeness);
    expect_close(all_scores(**model, user), expected);
  }
}

RC_GTEST_PROP(ItemKnn, EqualsBruteForce, ()) {
  const World world = random_world();
  const Histories train = histories_of(world.rows);
  const Dense by_item = Dense(world.rows, world.items).transposed();
  SerialExecutor executor;
  const auto model = ItemKnn::fit(train, world.items, world.options, executor);
  RC_ASSERT(model.ok());
  for (std::uint32_t user = 0; user < world.rows.size(); ++user) {
    std::vector<double> expected(world.items, 0.0);
    for (std::uint32_t item = 0; item < world.items; ++item)
      for (const Neighbor& near : by_item.nearest(item, world.options))
        if (train.contains(UserIndex{user}, ItemIndex{near.index}))
          expected[item] += static_cast<double>(near.likeness);
    const auto scores = all_scores(**model, user);
    expect_close(scores, expected);
    // Fold-in of a training user's own history is the user.
    std::vector<float> folded(world.items);
    (*model)->score_history(train.of(UserIndex{user}), folded);
    RC_ASSERT(folded == scores);
  }
}

RC_GTEST_PROP(UserKnn, FoldInFindsTheNeighboursOfAHistory, ()) {
  const World world = random_world();
  const Histories train = histories_of(world.rows);
  SerialExecutor executor;
  const auto model = UserKnn::fit(train, world.items, world.options, executor);
  const auto guest = random_rows(1, world.items, 30);
  // The guest as one more row of the table, whom nobody else knows.
  Rows with_guest = world.rows;
  with_guest.push_back(guest[0]);
  const Dense dense(with_guest, world.items);
  std::vector<double> expected(world.items, 0.0);
  for (const Neighbor& near : dense.nearest(world.rows.size(), world.options))
    for (const std::uint32_t item : world.rows[near.index])
      expected[item] += static_cast<double>(near.likeness);
  std::vector<float> scores(world.items);
  (*model)->score_history(items_of(guest[0]), scores);
  expect_close(scores, expected);
}

RC_GTEST_PROP(Knn, SimilarIsTheCosineOfAudiences, ()) {
  const World world = random_world();
  const Histories train = histories_of(world.rows);
  const Dense by_item = Dense(world.rows, world.items).transposed();
  SerialExecutor executor;
  const auto users = UserKnn::fit(train, world.items, world.options, executor);
  const auto items = ItemKnn::fit(train, world.items, world.options, executor);
  std::vector<float> one(world.items), two(world.items);
  for (std::uint32_t item = 0; item < world.items; ++item) {
    RC_ASSERT((*users)->similar(ItemIndex{item}, one).ok());
    RC_ASSERT((*items)->similar(ItemIndex{item}, two).ok());
    RC_ASSERT(one == two);
    for (std::uint32_t other = 0; other < world.items; ++other)
      RC_ASSERT(one[other] == by_item.likeness(item, other, world.options));
  }
}

RC_GTEST_PROP(Knn, ShardsAndBlocksDoNotMatter, ()) {
  const World world = random_world();
  const Histories train = histories_of(world.rows);
  SerialExecutor serial;
  BackwardExecutor backward(3);
  const std::unique_ptr<Recommender> models[] = {
      std::move(UserKnn::fit(train, world.items, world.options, serial)).value(),
      std::move(UserKnn::fit(train, world.items, world.options, backward)).value(),
      std::move(ItemKnn::fit(train, world.items, world.options, serial)).value(),
      std::move(ItemKnn::fit(train, world.items, world.options, backward)).value()};
  const auto cut = *rc::gen::inRange<std::uint32_t>(0, world.items + 1);
  for (std::uint32_t user = 0; user < world.rows.size(); ++user) {
    RC_ASSERT(all_scores(*models[0], user) == all_scores(*models[1], user));
    RC_ASSERT(all_scores(*models[2], user) == all_scores(*models[3], user));
    for (const std::size_t kind : {0u, 2u}) {
      std::vector<float> parts(world.items);
      const UserIndex index{user};
      models[kind]->score(std::span(&index, 1), {0, cut}, std::span(parts).first(cut));
      models[kind]->score(std::span(&index, 1), {cut, world.items}, std::span(parts).subspan(cut));
      RC_ASSERT(parts == all_scores(*models[kind], user));
    }
  }
}

// `popular` of the items are in most histories, each other one in one of `rarity`.
Rows uneven_rows(std::size_t users, std::uint32_t items, std::uint32_t popular, std::uint32_t rarity) {
  Rows rows(users);
  Stream draws(users + popular, Purpose::init_shared);
  for (auto& row : rows)
    for (std::uint32_t item = 0; item < items; ++item)
      if (draws.below(item < popular ? 2 : rarity) == 0) row.push_back(item);
  return rows;
}

TEST(Knn, NeighboursAreTheNearestWhetherColumnsArePopularOrRare) {
  const struct {
    std::size_t users;
    std::uint32_t items, popular, rarity;
  } worlds[] = {{300, 100, 0, 200}, {300, 100, 40, 60}, {150, 333, 333, 1}, {90, 70, 3, 30}};
  SerialExecutor executor;
  for (const auto& world : worlds) {
    const Rows rows = uneven_rows(world.users, world.items, world.popular, world.rarity);
    const Histories train = histories_of(rows);
    const Audiences audiences(train, world.items);
    const Dense by_user(rows, world.items);
    const Dense by_item = by_user.transposed();
    for (const KnnOptions& options : {KnnOptions{3, 0.0f}, KnnOptions{20, 2.5f}, KnnOptions{1000, 0.0f}}) {
      const auto users = nearest_users(train, audiences, options, executor);
      const auto items = nearest_items(train, audiences, options, executor);
      const auto same = [&](const NeighborLists& lists, const Dense& table, std::size_t row) {
        const auto expected = table.nearest(row, options);
        return std::equal(lists.of(row).begin(), lists.of(row).end(), expected.begin(), expected.end());
      };
      for (std::size_t user = 0; user < world.users; user += 7)
        ASSERT_TRUE(same(users, by_user, user)) << user;
      for (std::size_t item = 0; item < world.items; item += 7)
        ASSERT_TRUE(same(items, by_item, item)) << item;
    }
  }
}

TEST(Knn, TiedNeighboursGoByIndex) {
  // Users 1, 2 and 3 are equally near to user 0.
  const Histories train = histories_of({{0}, {0, 1}, {0, 2}, {0, 3}});
  SerialExecutor executor;
  const Audiences audiences(train, 4);
  const auto lists = nearest_users(train, audiences, {2, 0.0f}, executor);
  ASSERT_EQ(lists.of(0).size(), 2u);
  EXPECT_EQ(lists.of(0)[0].index, 1u);
  EXPECT_EQ(lists.of(0)[1].index, 2u);
}

TEST(Knn, RefusesNoNeighboursAndBadShrink) {
  const Histories train = histories_of({{0}});
  SerialExecutor executor;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const KnnOptions& options : {KnnOptions{0, 0.0f}, KnnOptions{5, -1.0f}, KnnOptions{5, nan}}) {
    EXPECT_EQ(ItemKnn::fit(train, 1, options, executor).error().code, Code::usage);
    EXPECT_EQ(UserKnn::fit(train, 1, options, executor).error().code, Code::usage);
  }
}

}  // namespace sotto::model::knn_test
