#include "model/als.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "model/central/ials.h"
#include "model/central/testing/small_worlds.h"
#include "model/mf_recommender.h"

namespace sotto::model::als_test {

constexpr std::uint32_t users = 40;
constexpr std::uint32_t items = 30;

AlsOptions some_options(float reg_power = 0.0f) {
  return {.factors = 6, .lambda = 0.5f, .confidence = 3.0f, .reg_power = reg_power, .seed = 4};
}

Histories world() {
  Rows rows = planted_rows(users, items, 3, 7);
  rows[5].clear();
  return histories_of(rows);
}

double weight(const Histories& train, std::uint32_t user, std::uint32_t item, double alpha) {
  return train.contains(UserIndex{user}, ItemIndex{item}) ? 1.0 + alpha : 1.0;
}

double product(const RowMatrix& a, std::size_t row, const RowMatrix& b, std::size_t other) {
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < a.width(); ++k)
    sum += static_cast<double>(a.row(row)[k]) * static_cast<double>(b.row(other)[k]);
  return sum;
}

// The whole loss, the obvious way: every user with every item.
double plain_loss(const Histories& train, const RowMatrix& p, const RowMatrix& q, const AlsOptions& options) {
  const auto alpha = static_cast<double>(options.confidence);
  double loss = 0.0;
  for (std::uint32_t u = 0; u < p.rows(); ++u)
    for (std::uint32_t i = 0; i < q.rows(); ++i) {
      const double wanted = train.contains(UserIndex{u}, ItemIndex{i}) ? 1.0 : 0.0;
      loss += weight(train, u, i, alpha) * std::pow(wanted - product(p, u, q, i), 2);
    }
  for (std::uint32_t u = 0; u < p.rows(); ++u)
    loss += static_cast<double>(options.lambda) * product(p, u, p, u);
  for (std::uint32_t i = 0; i < q.rows(); ++i)
    loss += static_cast<double>(options.lambda) * product(q, i, q, i);
  return loss;
}

TEST(Als, AnItemsNormalEquationsHold) {
  for (const float power : {0.0f, 0.5f}) {
    const Histories train = world();
    const AlsOptions options = some_options(power);
    const auto model = Ials::start(train, items, options).value();
    SerialExecutor alone;
    ASSERT_TRUE(model->run_epoch(0, alone).ok());
    const RowMatrix& q = model->items();
    const auto alpha = static_cast<double>(options.confidence);
    // Users are solved last: their gradients vanish, one coordinate after the other.
    for (std::uint32_t u = 0; u < users; ++u) {
      const double own = static_cast<double>(train.of(UserIndex{u}).size());
      if (own == 0.0) {
        EXPECT_EQ(product(model->users(), u, model->users(), u), 0.0);
        continue;
      }
      const double lambda = static_cast<double>(options.lambda) *
                            std::pow(alpha * own + items, static_cast<double>(options.reg_power));
      for (std::size_t k = 0; k < options.factors; ++k) {
        double slope = lambda * static_cast<double>(model->users().row(u)[k]);
        for (std::uint32_t i = 0; i < items; ++i) {
          const double wanted = train.contains(UserIndex{u}, ItemIndex{i}) ? 1.0 : 0.0;
          slope -= weight(train, u, i, alpha) * (wanted - product(model->users(), u, q, i)) *
                   static_cast<double>(q.row(i)[k]);
        }
        EXPECT_NEAR(slope, 0.0, 2e-4) << u << ' ' << k;
      }
    }
  }
}

TEST(Als, TheLossFallsFromEpochToEpochAndIsTheReportedOne) {
  const Histories train = world();
  const AlsOptions options = some_options();
  const auto model = Ials::start(train, items, options).value();
  SerialExecutor alone;
  double last = 1e300;
  for (std::uint32_t epoch = 0; epoch < 8; ++epoch) {
    const Ials::Epoch done = model->run_epoch(epoch, alone).value();
    const double loss = plain_loss(train, model->users(), model->items(), options);
    EXPECT_LT(loss, last + 1e-6) << epoch;
    last = loss;
    double of_items = 0.0;
    for (std::uint32_t i = 0; i < items; ++i)
      of_items += static_cast<double>(options.lambda) * product(model->items(), i, model->items(), i);
    EXPECT_NEAR(static_cast<double>(done.loss_units) * 0x1.0p-20, loss - of_items, 1e-3 * loss);
    EXPECT_EQ(done.steps, train.interactions());
  }
  EXPECT_LT(last, static_cast<double>(train.interactions()) * 4.0);  // less than with nothing learned
}

TEST(Als, TheSameBytesWhateverTheExecutorAndAfterARestart) {
  const Histories train = histories_of(planted_rows(300, 90, 3, 9));
  const AlsOptions options = some_options();
  SerialExecutor alone;
  BackwardExecutor backward(3);
  const auto one = Ials::start(train, 90, options).value();
  const auto other = Ials::start(train, 90, options).value();
  const auto resumed = Ials::start(train, 90, options).value();
  for (std::uint32_t epoch = 0; epoch < 4; ++epoch) {
    const auto a = one->run_epoch(epoch, alone).value();
    const auto b = other->run_epoch(epoch, backward).value();
    EXPECT_EQ(a.loss_units, b.loss_units);
    if (epoch == 1) resumed->restore(one->users(), one->items());
    if (epoch > 1) {
      ASSERT_TRUE(resumed->run_epoch(epoch, alone).ok());
    }
  }
  for (std::uint32_t i = 0; i < 90; ++i)
    for (std::size_t k = 0; k <= options.factors; ++k) {
      ASSERT_EQ(one->items().row(i)[k], other->items().row(i)[k]);
      ASSERT_EQ(one->items().row(i)[k], resumed->items().row(i)[k]);
    }
}

TEST(Als, FoldInIsTheSolutionThatTrainingGives) {
  const Histories train = world();
  const AlsOptions options = some_options();
  const auto model = Ials::start(train, items, options).value();
  SerialExecutor alone;
  for (std::uint32_t epoch = 0; epoch < 3; ++epoch) ASSERT_TRUE(model->run_epoch(epoch, alone).ok());
  FoldInOptions fold_in;
  fold_in.exact = options;
  const MfRecommender recommender(&model->users(), &model->items(), fold_in);
  for (const std::uint32_t user : {0u, 5u, 17u}) {
    const RowMatrix row = recommender.fold_in(train.of(UserIndex{user}));
    for (std::size_t k = 0; k <= options.factors; ++k)
      EXPECT_EQ(row.row(0)[k], model->users().row(user)[k]) << user;
  }
}

TEST(Als, TheSumOverASideDoesNotDependOnTheExecutor) {
  const RowMatrix rows = start_items({.factors = 5, .init_sd = 1.0f}, 9000);  // several parts
  SerialExecutor alone;
  BackwardExecutor backward(7);
  const FactorSide one(rows, alone), other(rows, backward);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j <= 5; ++j) {
      EXPECT_EQ(one.gram().row(i)[j], other.gram().row(i)[j]);
      double plain = 0.0;
      for (std::size_t n = 0; n < rows.rows(); ++n)
        plain += static_cast<double>(rows.row(n)[i]) * static_cast<double>(j == 5 ? 1.0f : rows.row(n)[j]);
      EXPECT_NEAR(static_cast<double>(one.gram().row(i)[j]), j < i ? 0.0 : plain, 0.05);
    }
}

TEST(Als, BadOptionsAndSystemsWithoutSolutionAreRefused) {
  EXPECT_FALSE(check(AlsOptions{.factors = 0}).ok());
  EXPECT_FALSE(check(AlsOptions{.lambda = -1.0f}).ok());
  EXPECT_FALSE(check(AlsOptions{.confidence = std::nanf("")}).ok());
  EXPECT_FALSE(check(AlsOptions{.reg_power = 3.0f}).ok());
  SerialExecutor alone;
  const Histories train = histories_of({{0}, {1}});
  EXPECT_FALSE(Ials::start(Histories(3), 4, {}).ok());
  // Two items cannot span three factors: without λ there is no single solution.
  const auto model = Ials::start(train, 2, {.factors = 3, .lambda = 0.0f, .init_sd = 0.0f}).value();
  const auto epoch = model->run_epoch(0, alone);
  ASSERT_FALSE(epoch.ok());
  EXPECT_EQ(epoch.error().code, Code::diverged);
  EXPECT_NE(epoch.error().message.find("--lambda"), std::string::npos);
}

}  // namespace sotto::model::als_test
