#include "model/central/sampled_sgd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/central/logistic_mf.h"
#include "model/central/testing/small_worlds.h"
#include "model/central/warp.h"

namespace sotto::model::sampled_sgd_test {

constexpr std::size_t width = 5;  // four factors and a bias
using Row = std::vector<double>;

Row drawn(std::uint32_t number) {
  Row row(width);
  Stream draws(3, Purpose::init_shared, 0, number);
  for (double& value : row) value = draws.normal();
  return row;
}

RowMatrix as_rows(const std::vector<Row>& rows) {
  RowMatrix matrix(rows.size(), width);
  for (std::size_t n = 0; n < rows.size(); ++n)
    for (std::size_t k = 0; k < width; ++k) matrix.row(n)[k] = static_cast<float>(rows[n][k]);
  return matrix;
}

double score(const Row& user, const Row& item) {
  double sum = item[width - 1];
  for (std::size_t k = 0; k + 1 < width; ++k) sum += user[k] * item[k];
  return sum;
}

double squares(const Row& row) {
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < width; ++k) sum += row[k] * row[k];
  return sum;
}

// ∂loss/∂rows[n][k] by central differences.
template <class Loss>
double slope(std::vector<Row> rows, std::size_t n, std::size_t k, const Loss& loss) {
  constexpr double h = 1e-5;
  rows[n][k] += h;
  const double above = loss(rows);
  rows[n][k] -= 2 * h;
  return (above - loss(rows)) / (2 * h);
}

TEST(Warp, AStepGoesDownTheSlopeOfItsLoss) {
  constexpr double rate = 0.01, lambda = 0.3, w = 0.7;
  std::vector<Row> rows{drawn(1), drawn(2), drawn(3)};
  rows[0][width - 1] = 1.0;
  const auto loss = [&](const std::vector<Row>& r) {
    return w * (1.0 - score(r[0], r[1]) + score(r[0], r[2])) +
           lambda / 2 * (squares(r[0]) + squares(r[1]) + squares(r[2]));
  };
  RowMatrix moved = as_rows(rows);
  warp_step(moved.row(0), moved.row(1), moved.row(2), width, static_cast<float>(w), static_cast<float>(rate),
            static_cast<float>(lambda));
  for (std::size_t n = 0; n < 3; ++n)
    for (std::size_t k = 0; k < width; ++k) {
      const double expected =
          n == 0 && k + 1 == width ? rows[n][k] : rows[n][k] - rate * slope(rows, n, k, loss);
      EXPECT_NEAR(static_cast<double>(moved.row(n)[k]), expected, 1e-6) << n << ' ' << k;
    }
}

TEST(Warp, TheWeightFallsWithTheDraws) {
  EXPECT_NEAR(static_cast<double>(warp_weight(1000, 1)), std::log(1000.0) / std::log(1001.0), 1e-5);
  EXPECT_NEAR(static_cast<double>(warp_weight(1000, 10)), std::log(100.0) / std::log(1001.0), 1e-5);
  EXPECT_EQ(warp_weight(1000, 1000), 0.0f);
}

TEST(LogisticMf, AStepGoesDownTheSlopeOfItsLoss) {
  constexpr double rate = 0.01, lambda = 0.2;
  for (const bool positive : {true, false}) {
    std::vector<Row> rows{drawn(4), drawn(5), Row(width, 0.4)};  // the last holds the user's bias
    rows[0][width - 1] = 1.0;
    const auto loss = [&](const std::vector<Row>& r) {
      const double x = (score(r[0], r[1]) + r[2][0]) * (positive ? 1.0 : -1.0);
      return std::log1p(std::exp(-x)) + lambda / 2 * (squares(r[0]) + squares(r[1]));
    };
    RowMatrix moved = as_rows(rows);
    float bias = 0.4f;
    const float before = logistic_step(moved.row(0), bias, moved.row(1), width, positive,
                                       static_cast<float>(rate), static_cast<float>(lambda));
    EXPECT_NEAR(static_cast<double>(before), loss(rows) - lambda / 2 * (squares(rows[0]) + squares(rows[1])),
                1e-5);
    for (std::size_t n = 0; n < 2; ++n)
      for (std::size_t k = 0; k < width; ++k) {
        const double expected =
            n == 0 && k + 1 == width ? rows[n][k] : rows[n][k] - rate * slope(rows, n, k, loss);
        EXPECT_NEAR(static_cast<double>(moved.row(n)[k]), expected, 1e-6) << n << ' ' << k;
      }
    EXPECT_NEAR(static_cast<double>(bias), 0.4 - rate * slope(rows, 2, 0, loss), 1e-6);
  }
}

// Laws of both: threads and restarts change nothing; what was planted is learned.
template <class Model, class Options>
void check_laws(const Options& options, double fall) {
  const Rows rows = planted_rows(240, 120, 3, 12);
  const Histories train = histories_of(rows);
  SerialExecutor alone;
  BackwardExecutor backward(4);
  const auto one = Model::start(train, 120, options).value();
  const auto other = Model::start(train, 120, options).value();
  const auto resumed = Model::start(train, 120, options).value();
  std::vector<double> losses;
  for (std::uint32_t epoch = 0; epoch < 30; ++epoch) {
    const SampledEpoch done = one->run_epoch(epoch, alone).value();
    EXPECT_EQ(other->run_epoch(epoch, backward)->loss_units, done.loss_units);
    losses.push_back(static_cast<double>(done.loss_units) / static_cast<double>(done.steps));
    if (epoch == 9) {
      if constexpr (requires { one->biases(); })
        resumed->restore(one->users(), one->items(), one->biases());
      else
        resumed->restore(one->users(), one->items());
    }
    if (epoch > 9) {
      ASSERT_TRUE(resumed->run_epoch(epoch, alone).ok());
    }
  }
  EXPECT_LT(losses.back(), fall * losses.front());
  for (std::uint32_t i = 0; i < 120; ++i)
    for (std::size_t k = 0; k < one->items().width(); ++k) {
      ASSERT_EQ(one->items().row(i)[k], other->items().row(i)[k]);
      ASSERT_EQ(one->items().row(i)[k], resumed->items().row(i)[k]);
    }
  // An item of one's own group scores above one of another group.
  double own = 0.0, strange = 0.0;
  for (std::uint32_t u = 0; u < 240; ++u)
    for (std::uint32_t i = 0; i < 120; ++i)
      (i % 3 == u % 3 ? own : strange) +=
          static_cast<double>(dot_rows(one->users().row(u), one->items().row(i), one->items().stride()));
  EXPECT_GT(own, strange / 2);
}

TEST(Warp, LearnsAndDependsOnNothingButOptionsAndData) {
  check_laws<Warp>(WarpOptions{.factors = 8, .max_trials = 20}, 0.6);
}

TEST(LogisticMf, LearnsAndDependsOnNothingButOptionsAndData) {
  check_laws<LogisticMf>(LogisticMfOptions{.factors = 8}, 0.9);
}

TEST(SampledSgd, DrawsOnlyWhatTheUserDoesNotHaveAndGivesUpWhereThereIsNothing) {
  const Histories train = histories_of({{0, 1, 2}, {0, 1, 2, 3}});
  const Membership consumed(train, 4);
  const std::vector<ItemIndex> all = items_of({0, 1, 2, 3});
  const BprJob job{.interactions = {}, .items = all};
  NegativeDraws draws(job, consumed, 1, 0);
  for (int n = 0; n < 50; ++n) {
    const auto item = draws.next(UserIndex{0});
    ASSERT_TRUE(item.has_value());
    EXPECT_EQ(item->value, 3u);
    EXPECT_FALSE(draws.next(UserIndex{1}).has_value());
  }
}

TEST(SampledSgd, BadOptionsAreRefused) {
  EXPECT_FALSE(check(WarpOptions{.max_trials = 0}).ok());
  EXPECT_FALSE(check(WarpOptions{.factors = 0}).ok());
  EXPECT_FALSE(check(LogisticMfOptions{.negatives = 0}).ok());
  EXPECT_FALSE(check(LogisticMfOptions{.learning_rate = -1.0f}).ok());
  EXPECT_FALSE(check(LogisticMfOptions{.lambda = std::nanf("")}).ok());
  EXPECT_FALSE(Warp::start(Histories(2), 4, {}).ok());
  const Histories train = histories_of(planted_rows(60, 30, 3, 5));
  SerialExecutor alone;
  const auto wild = LogisticMf::start(train, 30, {.learning_rate = 1e20f}).value();
  Result<SampledEpoch> last = wild->run_epoch(0, alone);
  if (last.ok()) last = wild->run_epoch(1, alone);
  ASSERT_FALSE(last.ok());
  EXPECT_EQ(last.error().code, Code::diverged);
}

}  // namespace sotto::model::sampled_sgd_test
