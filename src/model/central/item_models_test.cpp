// SLIM, RP3β and Item-kNN from pairs, each against its definition.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "model/central/item_knn.h"
#include "model/central/pair_knn.h"
#include "model/central/rp3beta.h"
#include "model/central/slim.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::model::item_models_test {

using Matrix = std::vector<std::vector<double>>;

Matrix gram_of(const Rows& rows, std::size_t items) {
  Matrix g(items, std::vector<double>(items, 0.0));
  for (const auto& row : rows)
    for (const std::uint32_t a : row)
      for (const std::uint32_t b : row) g[a][b] += 1.0;
  return g;
}

Matrix table_of(const ItemWeights& weights) {
  Matrix table(weights.items(), std::vector<double>(weights.items(), 0.0));
  for (std::size_t item = 0; item < weights.items(); ++item)
    for (const Neighbor& weight : weights.of(item))
      table[item][weight.index] = static_cast<double>(weight.likeness);
  return table;
}

// At the optimum the gradient of the smooth part is −l1 where a weight is above zero, +l1 where it is below,
// and within ±l1 (at least −l1, where weights cannot be negative) where it is zero.
void expect_optimal(const Matrix& g, const Matrix& w, const SlimOptions& options) {
  const double slack = 20.0 * options.tolerance;
  const auto l1 = static_cast<double>(options.l1), l2 = static_cast<double>(options.l2);
  for (std::size_t j = 0; j < g.size(); ++j) {
    const double room = slack * g[j][j] + 1e-4;
    for (std::size_t i = 0; i < g.size(); ++i) {
      if (i == j) {
        EXPECT_EQ(w[i][j], 0.0);
        continue;
      }
      double gradient = -g[i][j] + l2 * w[i][j];
      for (std::size_t k = 0; k < g.size(); ++k) gradient += g[i][k] * w[k][j];
      if (w[i][j] > 0.0) {
        EXPECT_NEAR(gradient, -l1, room) << i << " of " << j;
      } else if (w[i][j] < 0.0) {
        EXPECT_FALSE(options.non_negative);
        EXPECT_NEAR(gradient, l1, room) << i << " of " << j;
      } else {
        EXPECT_GE(gradient, -l1 - room) << i << " of " << j;
        EXPECT_LE(gradient, options.non_negative ? 1e300 : l1 + room) << i << " of " << j;
      }
    }
  }
}

TEST(Slim, MeetsTheConditionsOfAnOptimum) {
  const Rows rows = planted_rows(80, 40, 3, 8);
  const Histories train = histories_of(rows);
  const Audiences audiences(train, 40);
  const HistoryPairs pairs(train, audiences, PersonWeight());
  SerialExecutor serial;
  std::size_t negative = 0;
  for (const bool non_negative : {true, false})
    for (const float l1 : {0.2f, 2.0f}) {
      const SlimOptions options{.l1 = l1,
                                .l2 = 1.5f,
                                .non_negative = non_negative,
                                .neighbors = 40,
                                .tolerance = 1e-5,
                                .most_passes = 10'000};
      const Matrix weights = table_of(fit_slim(pairs, options, serial).value());
      expect_optimal(gram_of(rows, 40), weights, options);
      for (const auto& row : weights)
        for (const double weight : row) negative += weight < 0.0 ? 1 : 0;
    }
  EXPECT_GT(negative, 0u);
}

TEST(Slim, KeepsTheLargestWeightsAndDoesNotDependOnThreads) {
  const Histories train = histories_of(planted_rows(60, 30, 3, 8));
  const Audiences audiences(train, 30);
  const HistoryPairs pairs(train, audiences, PersonWeight());
  SerialExecutor serial;
  BackwardExecutor backward(3);
  const Matrix all = table_of(fit_slim(pairs, {.l1 = 0.1f, .l2 = 1.0f, .neighbors = 30}, serial).value());
  const Matrix some = table_of(fit_slim(pairs, {.l1 = 0.1f, .l2 = 1.0f, .neighbors = 4}, backward).value());
  for (std::size_t j = 0; j < 30; ++j) {
    std::vector<double> column, kept;
    for (std::size_t i = 0; i < 30; ++i) {
      column.push_back(all[i][j]);
      if (some[i][j] != 0.0) {
        EXPECT_EQ(some[i][j], all[i][j]);
        kept.push_back(some[i][j]);
      }
    }
    std::sort(column.rbegin(), column.rend());
    std::sort(kept.rbegin(), kept.rend());
    column.resize(kept.size());
    EXPECT_EQ(kept, column);
    EXPECT_LE(kept.size(), 4u);
  }
}

TEST(Rp3Beta, IsTheWalkOfThreeSteps) {
  const Rows rows = planted_rows(50, 40, 3, 9);
  const Histories train = histories_of(rows);
  const Audiences audiences(train, 40);
  SerialExecutor serial;
  for (const float alpha : {1.0f, 0.4f}) {
    const HistoryPairs pairs(train, audiences, PersonWeight(alpha));
    const Rp3Options options{.alpha = alpha, .beta = 0.3f, .neighbors = 6};
    const Matrix walked = table_of(fit_rp3beta(pairs, options, serial).value());
    const std::vector<std::uint32_t> popularity = train.popularity(40);
    for (std::uint32_t i = 0; i < 40; ++i) {
      std::vector<std::pair<double, std::uint32_t>> expected;
      for (std::uint32_t j = 0; j < 40; ++j) {
        double sum = 0.0;
        for (std::uint32_t user = 0; user < rows.size(); ++user)
          if (train.contains({user}, {i}) && train.contains({user}, {j}))
            sum += std::pow(1.0 / popularity[i], alpha) *
                   std::pow(1.0 / static_cast<double>(rows[user].size()), alpha);
        sum /= std::pow(static_cast<double>(popularity[j]), 0.3f);
        if (i != j && sum > 0.0) expected.push_back({-sum, j});
      }
      std::sort(expected.begin(), expected.end());
      const std::size_t kept = std::min<std::size_t>(6, expected.size());
      std::size_t found = 0;
      for (std::size_t j = 0; j < 40; ++j) found += walked[i][j] > 0.0 ? 1 : 0;
      ASSERT_EQ(found, kept);
      double total = 0.0, expected_total = 0.0;
      for (std::size_t n = 0; n < kept; ++n) expected_total -= expected[n].first;
      for (std::uint32_t j = 0; j < 40; ++j) {
        total += walked[i][j];
        // Which of two near-equal weights is kept hangs on rounding; what is kept has the right size.
        for (const auto& [weight, item] : expected) {
          if (item == j && walked[i][j] > 0.0) {
            ASSERT_NEAR(walked[i][j], -weight, 2e-5 * -weight);
          }
        }
      }
      ASSERT_NEAR(total, expected_total, 1e-5 * expected_total);
    }
  }
}

RC_GTEST_PROP(PairKnn, FindsTheNeighboursOfItemKnn, ()) {
  const auto items = *rc::gen::inRange<std::uint32_t>(1, 30);
  const Rows rows = random_rows(*rc::gen::inRange<std::size_t>(1, 30), items, *rc::gen::element(10, 50));
  const Histories train = histories_of(rows);
  const Audiences audiences(train, items);
  SerialExecutor serial;
  const HistoryPairs pairs(train, audiences, PersonWeight());
  KnnOptions options;
  options.neighbors = *rc::gen::inRange<std::uint32_t>(1, 8);
  options.similarity = *rc::gen::element(Similarity::cosine, Similarity::jaccard, Similarity::pearson);
  const auto central = ItemKnn::fit(train, items, options, serial).value();
  const WeightedItems summed(train, fit_pair_knn(pairs, options, serial).value());
  std::vector<float> a(items), b(items);
  for (std::uint32_t user = 0; user < rows.size(); ++user) {
    central->score_history(train.of({user}), a);
    summed.score_history(train.of({user}), b);
    RC_ASSERT(a == b);
  }
}

TEST(PersonWeight, IsAPowerOfTheHistoryRoundedToTwentyBits) {
  for (const float power : {0.3f, 1.0f})
    for (const std::size_t items : {1u, 2u, 37u, 5000u}) {
      const double expected = 0x1.0p20 * std::pow(static_cast<double>(items), -static_cast<double>(power));
      EXPECT_NEAR(static_cast<double>(PersonWeight(power).of(items)), expected, 0.5 + 1e-6 * expected);
    }
  EXPECT_EQ(PersonWeight().of(37), 1u);
  EXPECT_EQ(PersonWeight().unit(), 1.0);
}

TEST(ItemModels, RefuseSettingsThatCannotBe) {
  EXPECT_FALSE(check(SlimOptions{.l1 = -1.0f}).ok());
  EXPECT_FALSE(check(SlimOptions{.neighbors = 0}).ok());
  EXPECT_FALSE(check(Rp3Options{.alpha = -0.1f}).ok());
  EXPECT_FALSE(check(Rp3Options{.beta = std::nanf("")}).ok());
  EXPECT_TRUE(check(SlimOptions{}).ok());
  EXPECT_TRUE(check(Rp3Options{}).ok());
}

}  // namespace sotto::model::item_models_test
