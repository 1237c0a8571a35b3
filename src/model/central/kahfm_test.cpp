#include "model/central/kahfm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "model/central/testing/small_features.h"

namespace sotto::model::kahfm_test {

// 60 items of 3 tastes, each with its taste, one of 5 more features, and item 59 with none.
Rows known_of_items() {
  Rows rows(60);
  for (std::uint32_t item = 0; item < 59; ++item) rows[item] = {item % 3, 3 + item % 5};
  return rows;
}

struct Fixture {
  Histories train = histories_of(planted_rows(40, 60, 3, 12));
  std::shared_ptr<const ItemFeatures> features = features_of(known_of_items());
  [[nodiscard]] std::unique_ptr<BprMf> start(BprMfOptions options = {}) const {
    return std::move(start_kahfm(train, 60, features, ProfileRule::mean, options).value());
  }
};

bool same(const RowMatrix& a, const RowMatrix& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.row(0), b.row(0), a.bytes()) == 0;
}

TEST(KaHfm, BeginsAtTfIdfAndProfiles) {
  const Fixture world;
  const auto model = world.start();
  const TfIdf rows(world.features);
  ASSERT_EQ(model->items().width(), 9u);
  for (std::uint32_t item = 0; item < 60; ++item) {
    std::vector<float> expected(9, 0.0f);  // the bias is 0 too
    const auto held = world.features->of(ItemIndex{item});
    for (std::size_t n = 0; n < held.size(); ++n) expected[held[n].value] = rows.of(ItemIndex{item})[n];
    const auto row = model->items().values(item);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), expected.begin())) << item;
  }
  for (std::uint32_t user = 0; user < 40; ++user) {
    std::vector<float> expected(9, 1.0f);
    rows.profile(world.train.of(UserIndex{user}), ProfileRule::mean, std::span(expected).first(8));
    const auto row = model->users().values(user);
    EXPECT_TRUE(std::equal(row.begin(), row.end(), expected.begin())) << user;
  }
}

// One user with one of two items: an epoch is one step, on a triple that is known.
TEST(KaHfm, AStepGoesDownTheSlopeByFiniteDifferences) {
  const Histories train = histories_of({{0}});
  const auto features = features_of({{0, 1}, {1, 2}, {3}});
  BprMfOptions options;
  options.learning_rate = 0.01f;
  options.user_reg = 0.3f;
  options.positive_reg = 0.2f;
  options.negative_reg = 0.1f;
  auto model = std::move(start_kahfm(train, 2, features, ProfileRule::mean, options).value());
  using Row = std::vector<double>;
  const auto rows_now = [&] {
    std::vector<Row> rows;
    for (const auto& values : {model->users().values(0), model->items().values(0), model->items().values(1)})
      rows.emplace_back(values.begin(), values.end());
    return rows;
  };
  const auto loss = [](const std::vector<Row>& rows) {
    double x = rows[1][4] - rows[2][4], penalty = 0.0;
    const double regs[] = {0.3, 0.2, 0.1};
    for (std::size_t f = 0; f < 4; ++f) x += rows[0][f] * (rows[1][f] - rows[2][f]);
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t f = 0; f < 4; ++f) penalty += 0.5 * regs[row] * rows[row][f] * rows[row][f];
    return std::log1p(std::exp(-x)) + penalty;
  };
  const std::vector<Row> before = rows_now();
  SerialExecutor serial;
  ASSERT_EQ(model->run_epoch(0, serial)->steps, 1u);
  const std::vector<Row> after = rows_now();
  EXPECT_EQ(after[0][4], 1.0);
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < (row == 0 ? 4u : 5u); ++column) {
      constexpr double h = 1e-5;
      auto up = before, down = before;
      up[row][column] += h;
      down[row][column] -= h;
      const double slope = (loss(up) - loss(down)) / (2 * h);
      EXPECT_NEAR(after[row][column] - before[row][column], -0.01 * slope, 2e-7) << row << ' ' << column;
    }
}

TEST(KaHfm, LearnsAndTheOrderOfJobsDoesNotMatter) {
  const Fixture world;
  BprMfOptions options;
  options.blocks = 3;
  const auto one = world.start(options), two = world.start(options);
  SerialExecutor serial;
  BackwardExecutor backward(2);
  double first = 0.0, last = 0.0;
  for (std::uint32_t epoch = 0; epoch < 20; ++epoch) {
    last = one->run_epoch(epoch, serial)->mean_loss();
    if (epoch == 0) first = last;
    ASSERT_TRUE(two->run_epoch(epoch, backward).ok());
  }
  EXPECT_LT(last, first - 0.1);
  EXPECT_TRUE(same(one->items(), two->items()));
  EXPECT_TRUE(same(one->users(), two->users()));
}

TEST(KaHfm, ReasonsAddUpToTheScoreLessTheBias) {
  const Fixture world;
  const auto trained = world.start();
  SerialExecutor serial;
  for (std::uint32_t epoch = 0; epoch < 5; ++epoch) ASSERT_TRUE(trained->run_epoch(epoch, serial).ok());
  KaHfm model(world.features, ProfileRule::mean, &trained->users(), &trained->items(), {});
  const auto holds = [&](const char* when) {
    for (std::uint32_t user = 0; user < 40; user += 7) {
      const UserIndex index{user};
      std::vector<float> scores(60), folded(60);
      model.score(std::span(&index, 1), {0, 60}, scores);
      model.score_history(world.train.of(index), folded);
      for (const ItemIndex item : items_of({0, 31, 59})) {
        const double bias = static_cast<double>(trained->items().row(item.value)[8]);
        double sum = bias, sum_folded = bias;
        for (const Reason& reason : model.reasons(index, item)) sum += static_cast<double>(reason.part);
        const auto of_history = model.reasons_for_history(world.train.of(index), std::span(&item, 1));
        for (const Reason& reason : of_history.front()) sum_folded += static_cast<double>(reason.part);
        EXPECT_NEAR(sum, static_cast<double>(scores[item.value]), 1e-5) << when;
        EXPECT_NEAR(sum_folded, static_cast<double>(folded[item.value]), 1e-5) << when;
      }
    }
  };
  holds("before");
  // A taste is what most of the score comes from; without it another list comes first.
  ASSERT_EQ(model.reasons(UserIndex{1}, ItemIndex{1}).front().feature, FeatureIndex{1});
  model.veto({FeatureIndex{1}});
  holds("after the veto");
  for (const Reason& reason : model.reasons(UserIndex{1}, ItemIndex{1}))
    EXPECT_NE(reason.feature, FeatureIndex{1});
  model.veto({});
  EXPECT_EQ(model.reasons(UserIndex{1}, ItemIndex{1}).front().feature, FeatureIndex{1});
}

TEST(KaHfm, SomebodyNewBeginsAtTheirProfile) {
  const Fixture world;
  const auto start = world.start();
  FoldInOptions no_steps;
  no_steps.passes = 0;
  const KaHfm model(world.features, ProfileRule::mean, start->users(), start->items(), no_steps);
  for (std::uint32_t user = 0; user < 40; ++user) {
    const UserIndex index{user};
    std::vector<float> scores(60), folded(60);
    model.score(std::span(&index, 1), {0, 60}, scores);
    model.score_history(world.train.of(index), folded);
    EXPECT_EQ(folded, scores) << user;
  }
}

TEST(KaHfm, NumbersStayFiniteWhereNothingIsKnown) {
  const Histories train = histories_of({{2}, {}, {0, 1, 2}});  // nothing is known about item 2
  const auto features = features_of({{0}, {1}, {}});
  auto trained = std::move(start_kahfm(train, 3, features, ProfileRule::centroid, {}).value());
  SerialExecutor serial;
  for (std::uint32_t epoch = 0; epoch < 3; ++epoch) ASSERT_TRUE(trained->run_epoch(epoch, serial).ok());
  const auto model = trained->view();
  for (const UserIndex user : {UserIndex{0}, UserIndex{1}, UserIndex{2}}) {
    std::vector<float> scores(3);
    model->score(std::span(&user, 1), {0, 3}, scores);
    for (const float score : scores) EXPECT_TRUE(std::isfinite(score));
  }
  const auto nothing = start_kahfm(train, 3, features_of({{}, {}, {}}), ProfileRule::mean, {});
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().code, Code::bad_input);
}

TEST(KaHfm, RefusesBadRates) {
  const Fixture world;
  BprMfOptions options;
  options.learning_rate = -1.0f;
  EXPECT_EQ(start_kahfm(world.train, 60, world.features, ProfileRule::mean, options).error().code,
            Code::usage);
}

}  // namespace sotto::model::kahfm_test
