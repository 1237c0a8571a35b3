// Models that sum over a history weigh each of its items by its age. The oracle is the sum itself: scores of
// histories of one item, times their weights.
#include <gtest/gtest.h>

#include <cmath>

#include "base/executor.h"
#include "base/rng.h"
#include "model/central/ease.h"
#include "model/central/item_knn.h"
#include "model/central/wide_ease.h"

namespace sotto::model::recency_scores_test {

constexpr std::uint32_t people = 30, items = 70;
constexpr float half_life = 2.5f;

// Everybody has some items, in a random order of age.
Histories aged_world() {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> rows;
  std::vector<std::uint16_t> ages;
  for (std::uint32_t user = 0; user < people; ++user) {
    Stream stream(5, Purpose::split_data, 0, user);
    const std::size_t begin = rows.size();
    for (std::uint32_t item = 0; item < items; ++item)
      if (stream.below(5) == 0 || item % people == user) rows.push_back({item});
    for (std::size_t k = begin; k < rows.size(); ++k) ages.push_back(static_cast<std::uint16_t>(k - begin));
    for (std::size_t k = ages.size(); k > begin + 1; --k)
      std::swap(ages[k - 1], ages[begin + stream.below(static_cast<std::uint32_t>(k - begin))]);
    offsets.push_back(rows.size());
  }
  return Histories(std::move(offsets), std::move(rows), std::move(ages));
}

void expect_weighted_sums(const Recommender& model, const Histories& train) {
  std::vector<float> scores(items), single(items);
  for (std::uint32_t user = 0; user < people; ++user) {
    const UserIndex asked{user};
    model.score(std::span(&asked, 1), {0, items}, scores);
    std::vector<double> expected(items, 0.0);
    const auto history = train.of(asked);
    for (std::size_t k = 0; k < history.size(); ++k) {
      model.score_history(history.subspan(k, 1), single);
      const double weight = std::exp2(-train.ages_of(asked)[k] / static_cast<double>(half_life));
      for (std::uint32_t item = 0; item < items; ++item)
        expected[item] += weight * static_cast<double>(single[item]);
    }
    for (std::uint32_t item = 0; item < items; ++item)
      EXPECT_NEAR(scores[item], expected[item], 2e-5) << user << " " << item;
  }
}

TEST(RecencyScores, EaseWeighsEachItem) {
  const Histories train = aged_world();
  SerialExecutor alone;
  expect_weighted_sums(*Ease::fit(train, items, {.lambda = 3.0f, .recency = half_life}, alone).value(),
                       train);
}

TEST(RecencyScores, WideEaseWeighsEachItem) {
  const Histories train = aged_world();
  SerialExecutor alone;
  const EaseOptions options{.lambda = 3.0f, .recency = half_life};
  const auto wide = WideEase::fit(train, items, options, alone).value();
  expect_weighted_sums(*wide, train);
  const auto dense = Ease::fit(train, items, options, alone).value();
  std::vector<float> a(items), b(items);
  for (std::uint32_t user = 0; user < people; ++user) {
    const UserIndex asked{user};
    wide->score(std::span(&asked, 1), {0, items}, a);
    dense->score(std::span(&asked, 1), {0, items}, b);
    for (std::uint32_t item = 0; item < items; ++item) EXPECT_NEAR(a[item], b[item], 2e-5);
  }
}

TEST(RecencyScores, ItemKnnWeighsEachItem) {
  const Histories train = aged_world();
  SerialExecutor alone;
  const auto model = ItemKnn::fit(train, items, {.neighbors = 12}, alone, Recency(half_life)).value();
  expect_weighted_sums(*model, train);
}

}  // namespace sotto::model::recency_scores_test
