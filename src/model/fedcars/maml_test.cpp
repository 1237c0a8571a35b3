// The formulas in double against finite differences, and one problem small enough to be done by hand.
#include "model/fedcars/maml.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace sotto::model::maml_test {

constexpr std::uint32_t people_rows = 9;  // the own row and eight others

// A random problem: the own row, the network, then rows that examples name.
struct Problem {
  FmShape shape;
  FmLoss loss;
  std::vector<FmFeature> features;
  std::vector<FmExample> support, query;
  std::vector<double> rows;

  Problem(std::uint64_t seed, FmLoss kind, std::uint32_t hidden) : loss(kind) {
    shape = {.factors = 3, .hidden = hidden, .network = 1};
    const auto network = static_cast<std::uint32_t>(hidden > 0 ? shape.network_rows() : 0);
    Stream stream(seed, Purpose::init_shared);
    for (std::uint32_t n = 0; n < 12; ++n) {
      FmExample example{.begin = static_cast<std::uint32_t>(features.size())};
      features.push_back({0, 1.0f});
      for (std::uint32_t row = 1; row < people_rows; ++row)
        if (stream.chance(0.5)) features.push_back({network + row, row % 3 == 0 ? 0.5f : 1.0f});
      example.end = static_cast<std::uint32_t>(features.size());
      example.target = kind.kind == FmLossKind::squared ? static_cast<float>(stream.normal())
                       : n % 2 == 0                     ? 1.0f
                                                        : 0.0f;
      example.weight = 0.25f + static_cast<float>(n % 4);
      (n < 7 ? support : query).push_back(example);
    }
    rows.resize((people_rows + network) * shape.width());
    for (double& value : rows) value = 0.6 * stream.normal();
  }
  [[nodiscard]] FmBatch batch(const std::vector<FmExample>& examples) const {
    return {features.data(), examples};
  }
};

double loss_at(const Problem& problem, const std::vector<FmExample>& examples,
               const std::vector<double>& rows, double prior = 0.0) {
  FmTask<double> task(problem.shape, problem.loss);
  double loss = 0.0, weights = prior;
  for (const FmExample& example : examples) {
    const double score = task.predict(
        rows.data(), std::span(problem.features).subspan(example.begin, example.end - example.begin));
    const double y = static_cast<double>(example.target), weight = static_cast<double>(example.weight);
    const double chance = 1.0 / (1.0 + std::exp(-score));
    const double error = score - y, bend = static_cast<double>(problem.loss.bend);
    const double squared =
        bend > 0.0 ? bend * std::sqrt(bend * bend + error * error) - bend * bend : 0.5 * error * error;
    loss += weight * (problem.loss.kind == FmLossKind::squared
                          ? squared
                          : -y * std::log(chance) - (1.0 - y) * std::log(1.0 - chance));
    weights += weight;
  }
  return loss / weights;
}

// The inner steps written out with gradients by differences: slow, and nothing of the code under test.
std::vector<double> numeric_gradient(const auto& function, std::vector<double> at) {
  std::vector<double> gradient(at.size());
  for (std::size_t k = 0; k < at.size(); ++k) {
    const double kept = at[k], step = 1e-5;
    at[k] = kept + step;
    const double above = function(at);
    at[k] = kept - step;
    gradient[k] = (above - function(at)) / (2.0 * step);
    at[k] = kept;
  }
  return gradient;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance * (1.0 + std::abs(b[k]))) << k;
}

class MamlFormulas : public testing::TestWithParam<std::tuple<FmLoss, std::uint32_t>> {
 protected:
  Problem problem{7, std::get<0>(GetParam()), std::get<1>(GetParam())};
};

TEST_P(MamlFormulas, GradientsAreThoseOfDifferences) {
  FmTask<double> task(problem.shape, problem.loss);
  std::vector<double> gradient(problem.rows.size(), 0.0);
  const double loss = task.add_gradient(problem.rows.data(), problem.batch(problem.support), gradient.data());
  EXPECT_NEAR(loss, loss_at(problem, problem.support, problem.rows), 1e-12);
  expect_near(gradient,
              numeric_gradient([&](const auto& rows) { return loss_at(problem, problem.support, rows); },
                               problem.rows),
              1e-7);
}

TEST_P(MamlFormulas, CurvatureIsTheChangeOfTheGradientAlongADirection) {
  FmTask<double> task(problem.shape, problem.loss);
  const FmBatch batch = problem.batch(problem.support);
  Stream stream(3, Purpose::init_private);
  std::vector<double> direction(problem.rows.size());
  for (double& value : direction) value = stream.normal();
  std::vector<double> product(direction.size(), 0.0), differences(direction.size(), 0.0);
  task.add_curvature(problem.rows.data(), direction.data(), batch, product.data());
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> rows = problem.rows, gradient(rows.size(), 0.0);
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] += sign * 1e-5 * direction[k];
    task.add_gradient(rows.data(), batch, gradient.data());
    for (std::size_t k = 0; k < rows.size(); ++k) differences[k] += sign * gradient[k] / 2e-5;
  }
  expect_near(product, differences, 1e-6);
}

TEST_P(MamlFormulas, TheSecondOrderSlopeIsThatOfDifferencesThroughAllInnerSteps) {
  for (const Adapts adapts : {Adapts::own, Adapts::all}) {
    const MamlOptions options{
        .steps = 3, .rate = 0.2f, .own_reg = 0.3f, .prior = 2.0f, .shared_reg = 0.0f, .adapts = adapts};
    Maml<double> maml(problem.shape, problem.loss, options);
    std::vector<double> slope;
    (void)maml.slope(problem.rows, problem.batch(problem.support), problem.batch(problem.query), slope);
    const auto query_loss = [&](const std::vector<double>& start) {
      std::vector<double> rows = start;
      for (std::uint32_t n = 0; n < options.steps; ++n) {
        const auto gradient = numeric_gradient(
            [&](const auto& at) { return loss_at(problem, problem.support, at, 2.0); }, rows);
        const std::size_t own = problem.shape.width(), moved = adapts == Adapts::own ? own : rows.size();
        const std::vector<double> before = rows;
        for (std::size_t k = 0; k < moved; ++k)
          rows[k] -=
              static_cast<double>(options.rate) *
              (gradient[k] + (k < own ? static_cast<double>(options.own_reg) * (before[k] - start[k]) : 0.0));
      }
      return loss_at(problem, problem.query, rows);
    };
    expect_near(slope, numeric_gradient(query_loss, problem.rows), 1e-4);
  }
}

TEST_P(MamlFormulas, TheFirstOrderSlopeIsTheQuerysGradientWhereTheStepsLead) {
  MamlOptions options{.steps = 4, .rate = 0.1f, .shared_reg = 0.0f, .order = MamlOrder::first};
  Maml<double> maml(problem.shape, problem.loss, options);
  std::vector<double> slope, rows = problem.rows, gradient(rows.size(), 0.0);
  (void)maml.slope(problem.rows, problem.batch(problem.support), problem.batch(problem.query), slope);
  maml.adapt(problem.batch(problem.support), rows);
  maml.task().add_gradient(rows.data(), problem.batch(problem.query), gradient.data());
  EXPECT_EQ(slope, gradient);
}

constexpr FmLoss bent{FmLossKind::squared, 0.7f};
INSTANTIATE_TEST_SUITE_P(Losses, MamlFormulas,
                         testing::Combine(testing::Values(FmLoss::squared, FmLoss::logistic, bent),
                                          testing::Values(0u, 5u)));

// One factor, the own row and one item: r̂ = b_u + b_i + v_u v_i.
TEST(Maml, OneStepByHand) {
  const std::vector<FmFeature> features{{0, 1.0f}, {1, 1.0f}};
  const std::vector<FmExample> one{{.begin = 0, .end = 2, .target = 2.0f}};
  const FmBatch batch{features.data(), one};
  Maml<double> maml({.factors = 1}, FmLoss::squared,
                    {.steps = 1, .rate = 0.5f, .own_reg = 0.0f, .prior = 0.0f});
  std::vector<double> rows{1.0, 0.0, 0.5, 0.25};  // v_u, b_u, v_i, b_i: r̂ = 0.75, error −1.25
  maml.adapt(batch, rows);
  EXPECT_EQ(rows, (std::vector<double>{1.0 + 0.5 * 1.25 * 0.5, 0.5 * 1.25, 0.5, 0.25}));
}

TEST(Maml, LambdaPullsTheRowsOfQueryExamplesAndNotTheOwnOne) {
  const std::vector<FmFeature> features{{0, 1.0f}, {1, 1.0f}};
  const std::vector<FmExample> query{{.begin = 0, .end = 2, .target = 0.75f}};  // predicted exactly
  Maml<double> maml({.factors = 1}, FmLoss::squared, {.steps = 0, .shared_reg = 0.1f});
  std::vector<double> slope;
  (void)maml.slope({1.0, 0.0, 0.5, 0.25}, {features.data(), {}}, {features.data(), query}, slope);
  EXPECT_EQ(slope[0], 0.0);
  EXPECT_EQ(slope[1], 0.0);
  EXPECT_NEAR(slope[2], 0.05, 1e-9);
  EXPECT_NEAR(slope[3], 0.025, 1e-9);
}

TEST(Maml, OptionsOutOfRangeAreNamed) {
  EXPECT_TRUE(check(MamlOptions{}).ok());
  EXPECT_FALSE(check(MamlOptions{.steps = 5000}).ok());
  EXPECT_FALSE(check(MamlOptions{.rate = 0.0f}).ok());
  EXPECT_FALSE(check(MamlOptions{.own_reg = -1.0f}).ok());
  EXPECT_FALSE(check(MamlOptions{.shared_reg = std::numeric_limits<float>::quiet_NaN()}).ok());
}

}  // namespace sotto::model::maml_test
