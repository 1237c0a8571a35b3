#include "model/fpl.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "base/fixed_point.h"

namespace sotto::model::fpl_test {

constexpr float scale = 1 << 20;

// Keeps every row that is emitted, as numbers.
struct Recorder {
  struct Row {
    Evidence evidence;
    std::uint32_t item;
    std::vector<std::int32_t> values;
  };
  explicit Recorder(std::size_t of_stride) : stride(of_stride) {}
  void make_room(std::size_t more) { rows.reserve(rows.size() + more + 2); }
  std::int32_t* open(Evidence evidence, std::uint32_t item) {
    rows.push_back({evidence, item, std::vector<std::int32_t>(stride)});
    return rows.back().values.data();
  }
  void relieve(std::uint32_t /*item*/) {}
  void prefetch(std::uint32_t /*item*/) const {}
  [[nodiscard]] float scale() const { return fpl_test::scale; }
  [[nodiscard]] double value(std::size_t row, std::size_t k) const {
    return rows[row].values[k] / double{fpl_test::scale};
  }
  std::size_t stride;
  std::vector<Row> rows;
};

struct World {
  RowMatrix items;
  RowMatrix own;
  RowMatrix scratch;
};

World random_world(std::uint32_t factors, std::size_t items) {
  FplOptions options;
  options.factors = factors;
  options.init_sd = 0.5f;
  const Fpl model(options, items, 11);
  World world{model.start_shared(), RowMatrix(1, factors + 1), RowMatrix(1, factors + 1)};
  model.start_private(UserIndex{2}, world.own.row(0));
  return world;
}

Visit visit_of(World& world, const std::vector<Pair>& pairs) {
  return {.shared = &world.items,
          .own = world.own.row(0),
          .scratch = world.scratch.row(0),
          .pairs = pairs,
          .user = UserIndex{2},
          .round = 0};
}

VisitReport fit_one(const Fpl& model, const Visit& visit, Recorder& sink) {
  return model.fit(std::span(&visit, 1), std::span(&sink, 1));
}

std::vector<Pair> pairs_of(const std::vector<std::array<std::uint32_t, 2>>& numbers) {
  std::vector<Pair> pairs;
  for (const auto& [i, j] : numbers) pairs.push_back({ItemIndex{i}, ItemIndex{j}});
  return pairs;
}

TEST(Fpl, OneStepByHand) {
  // F = 1: p = 0.5, (q_i, b_i) = (0.2, 0.1), (q_j, b_j) = (−0.4, 0.3).
  // x̂ = (0.1 + 0.1) − (0.3 − 0.2) = 0.1, d = σ(−0.1) = 0.475020813.
  FplOptions options{
      .factors = 1, .learning_rate = 0.1f, .user_reg = 0.01f, .positive_reg = 0.02f, .negative_reg = 0.03f};
  World world{RowMatrix(2, 2), RowMatrix(1, 2), RowMatrix(1, 2)};
  world.items.row(0)[0] = 0.2f;
  world.items.row(0)[1] = 0.1f;
  world.items.row(1)[0] = -0.4f;
  world.items.row(1)[1] = 0.3f;
  world.own.row(0)[0] = 0.5f;
  world.own.row(0)[1] = 1.0f;
  const Fpl model(options, 2, 1);
  Recorder sink(world.items.stride());
  const std::vector<Pair> pairs = pairs_of({{0, 1}});
  const VisitReport report = fit_one(model, visit_of(world, pairs), sink);
  ASSERT_EQ(sink.rows.size(), 2u);
  const std::size_t up = sink.rows[0].evidence == Evidence::positive ? 0 : 1;
  EXPECT_EQ(sink.rows[up].item, 0u);
  EXPECT_NEAR(sink.value(up, 0), 0.233510406, 2e-6);  // d·p − λ⁺q_i = .2375104 − .004
  EXPECT_NEAR(sink.value(up, 1), 0.475020813, 2e-6);  // d
  EXPECT_EQ(sink.rows[1 - up].item, 1u);
  EXPECT_NEAR(sink.value(1 - up, 0), -0.225510406, 2e-6);  // −d·p − λ⁻q_j = −.2375104 + .012
  EXPECT_NEAR(sink.value(1 - up, 1), -0.475020813, 2e-6);
  EXPECT_NEAR(world.own.row(0)[0], 0.5 + 0.1 * (0.475020813 * 0.6 - 0.005), 1e-6);
  EXPECT_EQ(world.own.row(0)[1], 1.0f);
  EXPECT_NEAR(static_cast<double>(report.loss_units) * 0x1.0p-20, 0.644396660, 1e-6);  // −ln σ(0.1)
  EXPECT_TRUE(report.finite);
}

// ln σ(x̂_uij) − λ_u/2 |p|² − λ⁺/2 |q_i|² − λ⁻/2 |q_j|², in double.
double objective(const FplOptions& o, const std::vector<double>& p, const std::vector<double>& qi,
                 const std::vector<double>& qj) {
  double x = qi.back() - qj.back();
  double penalty = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    x += p[k] * (qi[k] - qj[k]);
    penalty += o.user_reg * p[k] * p[k] + o.positive_reg * qi[k] * qi[k] + o.negative_reg * qj[k] * qj[k];
  }
  return -std::log1p(std::exp(-x)) - penalty / 2.0;
}

TEST(Fpl, UpdatesAreTheGradientByFiniteDifferences) {
  FplOptions options{
      .factors = 7, .learning_rate = 0.05f, .user_reg = 0.02f, .positive_reg = 0.03f, .negative_reg = 0.01f};
  World world = random_world(options.factors, 4);
  const std::vector<double> p(world.own.row(0), world.own.row(0) + 7);
  const std::vector<double> qi(world.items.row(1), world.items.row(1) + 8);
  const std::vector<double> qj(world.items.row(3), world.items.row(3) + 8);
  const Fpl model(options, 4, 11);
  Recorder sink(world.items.stride());
  const std::vector<Pair> pairs = pairs_of({{1, 3}});
  static_cast<void>(fit_one(model, visit_of(world, pairs), sink));
  const std::size_t up = sink.rows[0].evidence == Evidence::positive ? 0 : 1;
  constexpr double h = 1e-5;
  for (std::size_t k = 0; k < 8; ++k) {
    const auto slope = [&](auto nudge) {
      auto a = std::tuple(p, qi, qj);
      auto b = a;
      nudge(a, h);
      nudge(b, -h);
      return (objective(options, std::get<0>(a), std::get<1>(a), std::get<2>(a)) -
              objective(options, std::get<0>(b), std::get<1>(b), std::get<2>(b))) /
             (2 * h);
    };
    EXPECT_NEAR(sink.value(up, k), slope([&](auto& at, double by) { std::get<1>(at)[k] += by; }), 3e-6) << k;
    EXPECT_NEAR(sink.value(1 - up, k), slope([&](auto& at, double by) { std::get<2>(at)[k] += by; }), 3e-6)
        << k;
    if (k == 7) continue;
    const double moved = (static_cast<double>(world.own.row(0)[k]) - p[k]) / options.learning_rate;
    EXPECT_NEAR(moved, slope([&](auto& at, double by) { std::get<0>(at)[k] += by; }), 2e-5) << k;
  }
}

TEST(Fpl, BatchIsTheSummedFormula) {
  FplOptions options{.factors = 5, .learning_rate = 0.05f, .local = LocalSteps::batch};
  World world = random_world(options.factors, 6);
  const std::vector<float> p(world.own.row(0), world.own.row(0) + 5);
  const std::vector<Pair> pairs = pairs_of({{0, 3}, {1, 4}, {0, 5}, {2, 4}});
  std::map<std::uint32_t, std::vector<double>> sums;
  std::vector<double> moved(p.begin(), p.end());
  for (const Pair& pair : pairs) {
    const float* qi = world.items.row(pair.positive.value);
    const float* qj = world.items.row(pair.negative.value);
    double x = qi[5] - qj[5];
    for (std::size_t k = 0; k < 5; ++k) x += p[k] * (qi[k] - qj[k]);
    const double d = 1.0 / (1.0 + std::exp(x));
    auto& up = sums.try_emplace(pair.positive.value, 6, 0.0).first->second;
    auto& down = sums.try_emplace(pair.negative.value, 6, 0.0).first->second;
    for (std::size_t k = 0; k < 5; ++k) {
      up[k] += d * p[k] - options.positive_reg * qi[k];
      down[k] += -d * p[k] - options.negative_reg * qj[k];
      moved[k] += options.learning_rate * (d * (qi[k] - qj[k]) - options.user_reg * p[k]);
    }
    up[5] += d;
    down[5] -= d;
  }
  const Fpl model(options, 6, 11);
  Recorder sink(world.items.stride());
  static_cast<void>(fit_one(model, visit_of(world, pairs), sink));
  std::map<std::uint32_t, std::vector<double>> emitted;
  for (std::size_t n = 0; n < sink.rows.size(); ++n)
    for (std::size_t k = 0; k < 6; ++k)
      emitted.try_emplace(sink.rows[n].item, 6, 0.0).first->second[k] += sink.value(n, k);
  ASSERT_EQ(emitted.size(), sums.size());
  for (const auto& [item, sum] : sums)
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(emitted[item][k], sum[k], 4e-6) << item;
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(world.own.row(0)[k], moved[k], 1e-6);
}

TEST(Fpl, SequentialMovesTheUserBetweenTriples) {
  FplOptions options{.factors = 5, .learning_rate = 0.5f};
  const std::vector<Pair> pairs = pairs_of({{0, 3}, {1, 4}});
  World once = random_world(5, 6);
  World twice = random_world(5, 6);
  const Fpl model(options, 6, 11);
  Recorder together(once.items.stride());
  Recorder apart(once.items.stride());
  static_cast<void>(fit_one(model, visit_of(once, pairs), together));
  const std::vector<Pair> first{pairs[0]};
  const std::vector<Pair> second{pairs[1]};
  static_cast<void>(fit_one(model, visit_of(twice, first), apart));
  static_cast<void>(fit_one(model, visit_of(twice, second), apart));
  for (std::size_t n = 0; n < together.rows.size(); ++n)
    EXPECT_EQ(together.rows[n].values, apart.rows[n].values);
  EXPECT_TRUE(std::equal(once.own.row(0), once.own.row(0) + 6, twice.own.row(0)));
}

TEST(Fpl, VisitsSideBySideAreVisitsOneAfterTheOther) {
  for (const LocalSteps local : {LocalSteps::sequential, LocalSteps::batch}) {
    const Fpl model({.factors = 5, .learning_rate = 0.2f, .local = local}, 6, 11);
    const std::vector<Pair> pairs[3] = {pairs_of({{0, 3}, {1, 4}}), pairs_of({{1, 3}, {2, 4}}),
                                        pairs_of({{5, 0}, {5, 1}})};
    std::vector<World> alone(3, random_world(5, 6));
    for (std::uint32_t n = 0; n < 3; ++n) model.start_private(UserIndex{n}, alone[n].own.row(0));
    std::vector<World> together = alone;
    std::vector<Recorder> alone_sinks(3, Recorder(alone[0].items.stride()));
    std::vector<Recorder> together_sinks = alone_sinks;
    std::vector<Visit> visits;
    for (std::size_t n = 0; n < 3; ++n) visits.push_back(visit_of(together[n], pairs[n]));
    std::int64_t loss = model.fit(std::span<const Visit>(visits), std::span(together_sinks)).loss_units;
    for (std::size_t n = 0; n < 3; ++n) {
      loss -= fit_one(model, visit_of(alone[n], pairs[n]), alone_sinks[n]).loss_units;
      ASSERT_EQ(alone_sinks[n].rows.size(), together_sinks[n].rows.size());
      for (std::size_t r = 0; r < alone_sinks[n].rows.size(); ++r)
        EXPECT_EQ(alone_sinks[n].rows[r].values, together_sinks[n].rows[r].values);
      EXPECT_TRUE(std::equal(alone[n].own.row(0), alone[n].own.row(0) + 6, together[n].own.row(0)));
    }
    EXPECT_EQ(loss, 0);
  }
}

TEST(Fpl, ApplyIsOneStepUphill) {
  const Fpl model({.factors = 2, .learning_rate = 0.1f}, 1, 1);
  RowMatrix row(1, 3);
  row.row(0)[1] = 0.5f;
  const std::vector<std::int64_t> sum{1 << 20, -(1 << 19), 3 << 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  model.apply(sum.data(), FixedPoint{}, row.row(0));
  EXPECT_FLOAT_EQ(row.row(0)[0], 0.1f);
  EXPECT_FLOAT_EQ(row.row(0)[1], 0.45f);
  EXPECT_FLOAT_EQ(row.row(0)[2], 0.3f);
  const std::vector<std::int32_t> narrow(sum.begin(), sum.end());
  RowMatrix again(1, 3);
  again.row(0)[1] = 0.5f;
  model.apply(narrow.data(), FixedPoint{}, again.row(0));
  EXPECT_TRUE(std::equal(row.row(0), row.row(0) + 3, again.row(0)));
}

TEST(Fpl, StartsAsDrawnFromTheNormal) {
  const Fpl model({.factors = 20}, 5000, 3);
  const RowMatrix rows = model.start_shared();
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (const float v : rows.values(r)) {
      sum += v;
      squares += double{v} * v;
    }
  const double n = 5000.0 * 21.0;
  EXPECT_NEAR(sum / n, 0.0, 4 * 0.1 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 0.1, 0.001);
  EXPECT_EQ(rows.row(7)[21], 0.0f);  // padding
}

TEST(Fpl, NumbersThatLeaveTheRangeAreReported) {
  World world = random_world(3, 4);
  world.own.row(0)[0] = 1e35f;
  world.items.row(0)[0] = 1.0f;
  const Fpl model({.factors = 3}, 4, 11);
  Recorder sink(world.items.stride());
  const std::vector<Pair> pairs = pairs_of({{0, 1}});
  EXPECT_FALSE(fit_one(model, visit_of(world, pairs), sink).finite);
}

}  // namespace sotto::model::fpl_test
