#include "model/ratings/rating_knn.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "model/ratings/testing/small_ratings.h"

namespace sotto::model::rating_knn_test {

using Table = std::vector<std::vector<float>>;

// The prediction from the definition, with maps and full sorts.
struct SlowKnn {
  Table table;
  RatingBiases biases;
  KnnRows rows;
  KnnOptions options;

  [[nodiscard]] double left_over(std::uint32_t user, std::uint32_t item) const {
    return static_cast<double>(
        static_cast<float>(static_cast<double>(table[user][item]) - biases.of(user, item)));
  }
  // Row a of the side as column → value.
  [[nodiscard]] std::map<std::uint32_t, double> line(std::uint32_t a) const {
    std::map<std::uint32_t, double> values;
    for (std::uint32_t user = 0; user < table.size(); ++user)
      for (std::uint32_t item = 0; item < table[0].size(); ++item) {
        if (table[user][item] == 0.0f || (rows == KnnRows::users ? user : item) != a) continue;
        values[rows == KnnRows::users ? item : user] = options.similarity == Similarity::pearson
                                                           ? left_over(user, item)
                                                           : static_cast<double>(table[user][item]);
      }
    return values;
  }
  [[nodiscard]] double likeness(std::uint32_t a, std::uint32_t b) const {
    const auto x = line(a), y = line(b);
    double product = 0, xx = 0, yy = 0, common = 0, all_x = 0, all_y = 0;
    for (const auto& [column, value] : x) all_x += value * value;
    for (const auto& [column, value] : y) all_y += value * value;
    for (const auto& [column, value] : x)
      if (y.contains(column)) {
        product += value * y.at(column);
        xx += value * value;
        yy += y.at(column) * y.at(column);
        common += 1;
      }
    if (common == 0) return 0;
    const double plain = options.similarity == Similarity::cosine ? product / std::sqrt(all_x * all_y)
                         : options.similarity == Similarity::pearson
                             ? product / std::sqrt(xx * yy)
                             : common / (static_cast<double>(x.size() + y.size()) - common);
    return plain * common / (common + static_cast<double>(options.shrink));
  }
  [[nodiscard]] double predict(std::uint32_t user, std::uint32_t item) const {
    std::vector<std::pair<double, double>> near;  // −likeness, what is left over
    const bool by_user = rows == KnnRows::users;
    for (std::uint32_t other = 0; other < (by_user ? table.size() : table[0].size()); ++other) {
      const std::uint32_t u = by_user ? other : user, i = by_user ? item : other;
      if (table[u][i] == 0.0f || other == (by_user ? user : item)) continue;
      const double s = likeness(by_user ? user : item, other);
      if (s > 1e-12) near.emplace_back(-s, left_over(u, i));
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    double sum = 0, weights = 0;
    for (std::size_t n = 0; n < std::min<std::size_t>(near.size(), options.neighbors); ++n) {
      sum -= near[n].first * near[n].second;
      weights -= near[n].first;
    }
    return biases.of(user, item) + (weights > 0 ? sum / weights : 0);
  }
};

TEST(RatingKnn, AgreesWithTheDefinition) {
  const Table table = planted_ratings(14, 11, 0.5);
  const RatedWorld world = rated_world(table);
  const RatingBiases biases = fit_biases(RatedMatrix(world.train, world.ratings, 11), {});
  SerialExecutor executor;
  for (const KnnRows rows : {KnnRows::users, KnnRows::items})
    for (const Similarity similarity : {Similarity::cosine, Similarity::pearson, Similarity::jaccard})
      // So many that ties, which floats and doubles may break differently, are all in.
      for (const std::uint32_t k : similarity == Similarity::jaccard ? std::vector<std::uint32_t>{50}
                                                                     : std::vector<std::uint32_t>{3, 50}) {
        const KnnOptions options{.neighbors = k, .shrink = 2.0f, .similarity = similarity};
        const auto model = RatingKnn::fit(world.data(), rows, options, executor).value();
        const SlowKnn slow{table, biases, rows, options};
        for (std::uint32_t user = 0; user < 14; ++user) {
          const auto scores = scores_of(*model, user);
          for (std::uint32_t item = 0; item < 11; ++item)
            EXPECT_NEAR(scores[item], slow.predict(user, item), 1e-4)
                << to_string(similarity) << ' ' << k << ' ' << user << ' ' << item;
        }
      }
}

TEST(RatingKnn, NobodyNearLeavesTheBiases) {
  const RatedWorld world = rated_world({{5, 3, 0}, {0, 0, 4}, {0, 0, 0}});
  const RatingBiases biases = fit_biases(RatedMatrix(world.train, world.ratings, 3), {});
  SerialExecutor executor;
  for (const KnnRows rows : {KnnRows::users, KnnRows::items}) {
    const auto model = RatingKnn::fit(world.data(), rows, {}, executor).value();
    EXPECT_FLOAT_EQ(scores_of(*model, 0)[2], static_cast<float>(biases.of(0, 2)));
    EXPECT_FLOAT_EQ(predictions_of(*model, 1, 4)[3], static_cast<float>(biases.mean + biases.users[1]));
    EXPECT_FLOAT_EQ(predictions_of(*model, 2, 1)[0], static_cast<float>(biases.of(2, 0)));
  }
}

TEST(RatingKnn, ThreadsAndBlocksDoNotMatter) {
  const RatedWorld world = rated_world(planted_ratings(40, 30, 0.4));
  SerialExecutor serial;
  BackwardExecutor backward(3);
  for (const KnnRows rows : {KnnRows::users, KnnRows::items}) {
    const auto one = RatingKnn::fit(world.data(), rows, {}, serial).value();
    const auto three = RatingKnn::fit(world.data(), rows, {}, backward).value();
    EXPECT_EQ(all_scores(*one, 40), all_scores(*three, 40));
    const UserIndex user{7};
    std::vector<float> part(5);
    one->score(std::span(&user, 1), {10, 15}, part);
    const auto whole = scores_of(*one, 7);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 10));
  }
}

TEST(RatingKnn, SomebodyNewWithTheSameRatingsIsPredictedTheSame) {
  const Table table = planted_ratings(15, 10, 0.5);
  const RatedWorld world = rated_world(table);
  const RatedMatrix rows(world.train, world.ratings, 10);
  SerialExecutor executor;
  const auto model = RatingKnn::fit(world.data(), KnnRows::items, {}, executor).value();
  std::vector<float> out(10);
  model->score_rated(rows.of(4), out);
  const auto known = scores_of(*model, 4);
  for (std::size_t item = 0; item < 10; ++item) EXPECT_NEAR(out[item], known[item], 1e-5);
  model->score_history({}, out);
  EXPECT_TRUE(std::ranges::all_of(out, [](float value) { return std::isfinite(value); }));
}

TEST(RatingKnn, LikenessOfItems) {
  const RatedWorld world = rated_world(planted_ratings(30, 8, 0.8));
  SerialExecutor executor;
  const KnnOptions options{.similarity = Similarity::pearson};
  std::vector<float> out(8);
  ASSERT_TRUE(
      RatingKnn::fit(world.data(), KnnRows::items, options, executor).value()->similar({0}, out).ok());
  EXPECT_EQ(out[0], 1.0f);
  EXPECT_GT(out[2], 0.5f);  // the same kind
  EXPECT_EQ(out[1], 0.0f);  // the other: below 0, not remembered
  EXPECT_FALSE(
      RatingKnn::fit(world.data(), KnnRows::users, options, executor).value()->similar({0}, out).ok());
}

}  // namespace sotto::model::rating_knn_test
