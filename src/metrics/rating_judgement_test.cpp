#include "metrics/rating_judgement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "metrics/evaluate.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::metrics::rating_judgement_test {

// Predicts ten times the user plus the item, and a hundred for each value of the context that is known;
// scores are the items' numbers. Knows items below 2.
class Oracle final : public Recommender, public RatingPredictor {
 public:
  [[nodiscard]] std::size_t catalogue() const override { return 3; }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override {
    for (std::size_t k = 0; k < users.size(); ++k)
      for (std::uint32_t item = items.begin; item < items.end; ++item)
        out[k * items.size() + item - items.begin] = static_cast<float>(item);
  }
  void score_history(std::span<const ItemIndex>, std::span<float>) const override {}
  [[nodiscard]] Status similar(ItemIndex, std::span<float>) const override { return Done{}; }

  void predict(UserIndex user, std::span<const Occasion> occasions, std::span<float> out) const override {
    for (std::size_t n = 0; n < occasions.size(); ++n) {
      out[n] = static_cast<float>(10 * user.value + occasions[n].item.value);
      for (const std::uint32_t value : occasions[n].values) out[n] += value == no_context ? 0.0f : 100.0f;
      if (broken) out[n] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  [[nodiscard]] bool knows(UserIndex, ItemIndex item) const override { return item.value < 2; }

  bool broken = false;
};

// User 1 has no test items; item 4 is outside the catalogue. Predictions: 1, 2 | – | 20, 24.
struct World {
  World() {
    split.catalogue = 3;
    split.train = histories_of({{0}, {1}, {2}});
    split.validation = histories_of({{}, {2}, {}});
    split.test = histories_of({{1, 2}, {}, {0, 4}});
    auto records = std::make_shared<Records>();
    records->has_ratings = true;
    records->train.ratings = {1, 1, 1};
    records->validation.ratings = {15};
    records->test.ratings = {3, 2, 20, 20};
    split.records = records;
  }
  Split split;
  Oracle model;
};

TEST(RatingJudgement, ByHand) {
  const World world;
  SerialExecutor executor;
  const auto result = evaluate(world.model, world.split, {}, executor);
  ASSERT_TRUE(result.ok()) << result.error().message;
  // Errors 2, 0, 0, 4.
  EXPECT_DOUBLE_EQ(*result->find("MAE"), 6.0 / 4);
  EXPECT_DOUBLE_EQ(*result->find("RMSE"), std::sqrt(20.0 / 4));
  EXPECT_DOUBLE_EQ(*result->find("RatedShare"), 2.0 / 4);  // items 0 and 1
  EXPECT_EQ(result->per_user.users, (std::vector<UserIndex>{{0}, {2}}));
  EXPECT_EQ(result->per_user.column("MAE"), (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(result->per_user.column("RMSE"), (std::vector<double>{std::sqrt(2.0), std::sqrt(8.0)}));
  EXPECT_EQ(result->metrics.back().name, "RatedShare");
}

TEST(RatingJudgement, TheValidationPartHasItsOwnRatings) {
  const World world;
  SerialExecutor executor;
  EvaluateOptions options;
  options.part = Part::validation;
  const auto result = evaluate(world.model, world.split, options, executor);
  ASSERT_TRUE(result.ok());
  EXPECT_DOUBLE_EQ(*result->find("MAE"), 3.0);  // 12 for 15
}

TEST(RatingJudgement, RecordsBringTheirContext) {
  World world;
  auto contexts = std::make_shared<Contexts>();
  contexts->test = {1, {no_context, no_context, 0, no_context}};
  contexts->validation = {1, {no_context}};
  world.split.contexts = contexts;
  SerialExecutor executor;
  const auto result = evaluate(world.model, world.split, {}, executor);
  ASSERT_TRUE(result.ok());
  EXPECT_DOUBLE_EQ(*result->find("MAE"), (2.0 + 0.0 + 100.0 + 4.0) / 4);
}

TEST(RatingJudgement, NothingWithoutRatingsOrAPredictor) {
  World world;
  SerialExecutor executor;
  world.split.records = nullptr;
  EXPECT_FALSE(evaluate(world.model, world.split, {}, executor)->find("MAE").has_value());
  world.split.records = std::make_shared<Records>();
  EXPECT_FALSE(evaluate(world.model, world.split, {}, executor)->find("MAE").has_value());
}

TEST(RatingJudgement, ManyUsersGiveTheSameBitsForAnyThreads) {
  const Rows rows = planted_rows(300, 50, 5, 8);
  const Histories part = histories_of(rows);
  std::vector<float> ratings;
  for (std::size_t n = 0; n < part.interactions(); ++n) ratings.push_back(static_cast<float>(n % 5));
  std::vector<UserIndex> users;
  for (std::uint32_t user = 0; user < 300; user += 2) users.push_back({user});
  const Oracle model;
  SerialExecutor serial;
  BackwardExecutor backward(3);
  const auto one = judge_ratings(model, {&part, ratings}, users, serial);
  const auto three = judge_ratings(model, {&part, ratings}, users, backward);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(one->mae, three->mae);
  EXPECT_EQ(one->user_rmse, three->user_rmse);
  double sum = 0.0;
  for (const UserIndex user : users)
    for (std::size_t n = 0; n < part.of(user).size(); ++n)
      sum += std::fabs(static_cast<double>(10 * user.value + part.of(user)[n].value) -
                       static_cast<double>((part.offsets()[user.value] + n) % 5));
  EXPECT_NEAR(one->mae, sum / static_cast<double>(8 * users.size()), 1e-9);
}

TEST(RatingJudgement, ADivergedModelIsRefused) {
  World world;
  world.model.broken = true;
  SerialExecutor executor;
  const auto result = evaluate(world.model, world.split, {}, executor);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::diverged);
}

}  // namespace sotto::metrics::rating_judgement_test
