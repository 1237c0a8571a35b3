#include "sim/history_federation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "data/generate.h"
#include "model/central/ials.h"
#include "sim/thread_pool.h"

namespace sotto::sim::history_federation_test {

const Split& world() {
  static const Split split =
      generate_split({.users = 120, .items = 60, .mean_interactions = 10.0, .seed = 5}).value();
  return split;
}

AlsOptions als() { return {.factors = 5, .lambda = 0.5f, .confidence = 4.0f, .seed = 3}; }

Plan plan_of(double pi = 1.0, MaskKind mask = MaskKind::sticky, double cohort = 1.0) {
  Plan plan;
  plan.seed = 3;
  plan.consent = {pi, mask};
  plan.cohort = cohort;
  return plan;
}

FedAls fed_als(const Plan& /*plan*/) { return {als(), world().catalogue}; }
Fcf fcf(const Plan& plan, ServerStep step = ServerStep::adam) {
  return {{.als = als(), .server = {.step = step, .rate = step == ServerStep::adam ? 0.05f : 1e-4f}},
          world().catalogue,
          plan.cohort};
}

Schedule schedule_of(const Plan& plan) {
  return history_schedule_for(plan, users_with_history(world().train).size()).value();
}

struct Outcome {
  std::string shared, devices;
  RoundReport report;
  bool operator==(const Outcome& other) const {
    return shared == other.shared && devices == other.devices && report.rounds == other.report.rounds &&
           report.loss_units == other.report.loss_units && report.triples == other.report.triples &&
           report.bytes_up == other.report.bytes_up && report.bytes_down == other.report.bytes_down;
  }
};

template <class Model>
Outcome run(const Model& model, const Plan& plan, std::uint32_t rounds, std::size_t threads,
            Path path = Path::fast, bool collected = false) {
  ThreadPool pool(threads);
  HistoryFederation<Model> federation(model, plan, schedule_of(plan), world().train, pool, path);
  PlainCollector collector({model.sum_rows(), model.sum_width()});
  if (collected) federation.collect_with(collector);
  const RoundReport report = federation.run(rounds).value();
  return {hash_rows(federation.state().shared), hash_rows(federation.state().devices.on_device()), report};
}

template <class Make>
void check_paths(const Make& make) {
  for (const Plan& plan : {plan_of(), plan_of(0.5), plan_of(0.5, MaskKind::redraw, 0.25)}) {
    const auto model = make(plan);
    const Outcome one = run(model, plan, 8, 1);
    EXPECT_TRUE(run(model, plan, 8, 3) == one) << plan.consent.pi;
    EXPECT_TRUE(run(model, plan, 8, 2, Path::wire) == one) << plan.consent.pi;
    EXPECT_GT(one.report.bytes_up, 0u);
  }
}

TEST(HistoryFederation, ACollectorGetsTheSameContributions) {
  for (const double cohort : {1.0, 0.5}) {
    const Plan plan = plan_of(0.5, MaskKind::redraw, cohort);
    for (const Path path : {Path::fast, Path::wire}) {
      EXPECT_EQ(run(fed_als(plan), plan, 3, 2, path, true), run(fed_als(plan), plan, 3, 2, path));
      EXPECT_EQ(run(fcf(plan), plan, 3, 2, path, true), run(fcf(plan), plan, 3, 2, path));
    }
  }
}

TEST(HistoryFederation, ThreadsAndTheWireChangeNothing) {
  check_paths(fed_als);
  check_paths([](const Plan& plan) { return fcf(plan); });
}

TEST(HistoryFederation, GoesOnFromASavedStateAsIfNothingHadHappened) {
  SerialExecutor serial;
  for (const double cohort : {1.0, 0.3}) {
    const Plan plan = plan_of(0.7, MaskKind::redraw, cohort);
    const auto start = [&] {
      return HistoryFederation<Fcf>(fcf(plan), plan, schedule_of(plan), world().train, serial);
    };
    auto whole = start(), first = start(), second = start();
    RoundReport expected = whole.run(9).value();
    RoundReport found = first.run(4).value();
    second.restore(first.state());
    found.add(second.run(5).value());
    EXPECT_EQ(hash_rows(second.state().shared), hash_rows(whole.state().shared));
    EXPECT_EQ(hash_rows(second.state().devices.on_device()), hash_rows(whole.state().devices.on_device()));
    EXPECT_EQ(found.loss_units, expected.loss_units);
    EXPECT_EQ(found.triples, expected.triples);
  }
}

// What the devices send, summed the obvious way: a list of integers for each row.
std::map<std::uint32_t, std::vector<std::int64_t>> plain_sums(const RowMatrix& devices, const Plan& plan,
                                                              std::uint32_t round) {
  std::map<std::uint32_t, std::vector<std::int64_t>> sums;
  const std::size_t factors = als().factors;
  for (const UserIndex user : users_with_history(world().train)) {
    std::vector<std::int64_t> statistic;
    for (std::size_t i = 0; i <= factors; ++i)
      for (std::size_t j = i; j <= factors; ++j)
        statistic.push_back(std::llrint(static_cast<double>(
            devices.row(user.value)[i] * devices.row(user.value)[j] * plan.fixed.scale())));
    const auto add = [&](std::uint32_t row) {
      auto& sum = sums[row];
      sum.resize(statistic.size());
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += statistic[k];
    };
    add(0);
    ConsentGate gate(plan.consent, plan.seed, round, user);
    for (const ItemIndex item : world().train.of(user))
      if (gate.allows(Evidence::positive, item.value)) add(item.value + 1);
  }
  return sums;
}

// The item rows that go with such sums.
RowMatrix plain_items(const std::map<std::uint32_t, std::vector<std::int64_t>>& sums, const Plan& plan) {
  const std::size_t factors = als().factors;
  const double unit = 1.0 / static_cast<double>(plan.fixed.scale());
  const auto square = [&](const std::vector<std::int64_t>& sum, RowMatrix& out) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < factors; ++i)
      for (std::size_t j = i; j <= factors; ++j)
        out.row(i)[j] = static_cast<float>(static_cast<double>(sum[at++]) * unit);
    return static_cast<double>(sum[at]) * unit;
  };
  RowMatrix gram(factors, factors + 1);
  RowMatrix items(world().catalogue, factors + 1);
  const double people = square(sums.at(0), gram);
  AlsSolver solver(als());
  for (const auto& [row, sum] : sums) {
    if (row == 0) continue;
    const double own = square(sum, solver.clear_sums());
    EXPECT_TRUE(solver.solve_sums(gram, own, static_cast<std::size_t>(people), items.row(row - 1)).solved);
  }
  return items;
}

TEST(FederatedAls, EqualsACentralComputationFromTheSameSumsBitForBit) {
  SerialExecutor serial;
  for (const double pi : {0.0, 0.4, 1.0}) {
    const Plan plan = plan_of(pi);
    HistoryFederation<FedAls> federation(fed_als(plan), plan, schedule_of(plan), world().train, serial);
    ASSERT_TRUE(federation.run(1).ok());
    for (std::uint32_t round = 1; round < 4; ++round) {
      // After a round the private rows are solved for its shared rows: those are what the next one sends.
      const RowMatrix expected =
          plain_items(plain_sums(federation.state().devices.on_device(), plan, round), plan);
      ASSERT_TRUE(federation.run(1).ok());
      EXPECT_EQ(hash_rows(federation.state().shared), hash_rows(expected)) << pi << ' ' << round;
    }
  }
}

TEST(FederatedAls, IsCentralIalsUpToTheRoundingOfTheSums) {
  SerialExecutor serial;
  const Plan plan = plan_of();
  HistoryFederation<FedAls> federation(fed_als(plan), plan, schedule_of(plan), world().train, serial);
  const auto central = Ials::start(world().train, world().catalogue, als()).value();
  for (std::uint32_t epoch = 0; epoch < 5; ++epoch) {
    const double loss = federation.run(1)->mean_loss();
    const Ials::Epoch done = central->run_epoch(epoch, serial).value();
    const double expected =
        static_cast<double>(done.loss_units) * 0x1.0p-20 / static_cast<double>(done.steps);
    EXPECT_NEAR(loss, expected, 1e-4 * expected) << epoch;
  }
  for (std::size_t item = 0; item < world().catalogue; ++item)
    for (std::size_t k = 0; k < als().factors; ++k)
      EXPECT_NEAR(federation.state().shared.row(item)[k], central->items().row(item)[k], 2e-3f);
}

TEST(FederatedAls, WithoutConsentNoItemLeavesAndNumbersOutOfRangeAreRefused) {
  SerialExecutor serial;
  const Plan plan = plan_of(0.0);
  HistoryFederation<FedAls> closed(fed_als(plan), plan, schedule_of(plan), world().train, serial);
  const RoundReport report = closed.run(1).value();
  for (std::size_t item = 0; item < world().catalogue; ++item)
    for (const float value : closed.state().shared.values(item)) EXPECT_EQ(value, 0.0f);
  // One row a device: the sum over everybody.
  const std::uint64_t devices = users_with_history(world().train).size();
  EXPECT_EQ(report.bytes_up, devices * (20 + 4 + 4 * FedAls::statistic_width(5)));

  Plan narrow = plan_of();
  narrow.fixed.bits = 22;
  AlsOptions tiny = als();
  tiny.init_sd = 1e-3f;  // small item rows ask for large user rows
  tiny.lambda = 1e-12f;
  HistoryFederation<FedAls> wild({tiny, world().catalogue}, narrow, schedule_of(narrow), world().train,
                                 serial);
  const auto refused = wild.run(1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::diverged);
  EXPECT_NE(refused.error().message.find("in round 1:"), std::string::npos) << refused.error().message;
}

TEST(FederatedAls, ASumWithoutItsFirstRowHasNoSolutionAndEndsNothingElse) {
  const FedAls model = fed_als({});
  RowMatrix shared = model.start_shared(), memory;
  FedAls::Server server(model, 0, FixedPoint{}, shared, memory);
  const std::vector<std::int64_t> sum(model.sum_width(), 1);
  server.take(1, sum.data());
  EXPECT_FALSE(server.solved());
}

// The gradient of the whole loss by differences, on the first released sum.
TEST(Fcf, TheSumIsTheGradientOfTheLoss) {
  SerialExecutor serial;
  const Plan plan = plan_of();
  const AlsOptions options = als();
  constexpr float rate = 1e-4f;
  const Fcf model({.als = options, .server = {.step = ServerStep::sgd, .rate = rate}}, world().catalogue,
                  1.0);
  HistoryFederation<Fcf> federation(model, plan, schedule_of(plan), world().train, serial);
  const RowMatrix before = federation.state().shared;
  RowMatrix users = federation.state().devices.on_device();
  const FactorSide side(before, serial);
  AlsSolver solver(options);
  for (const UserIndex user : users_with_history(world().train))
    ASSERT_TRUE(solver.solve(side, world().train.of(user), before.rows(), users.row(user.value)).solved);
  ASSERT_TRUE(federation.run(1).ok());
  const auto loss_of_item = [&](std::uint32_t item, std::size_t moved, double by) {
    double loss = 0.0;
    std::vector<double> q;
    for (std::size_t k = 0; k < options.factors; ++k)
      q.push_back(static_cast<double>(before.row(item)[k]) + (k == moved ? by : 0.0));
    for (const double value : q) loss += static_cast<double>(options.lambda) * value * value;
    for (const UserIndex user : users_with_history(world().train)) {
      const bool has = world().train.contains(user, ItemIndex{item});
      double x = 0.0;
      for (std::size_t k = 0; k < q.size(); ++k) x += static_cast<double>(users.row(user.value)[k]) * q[k];
      loss +=
          (has ? 1.0 + static_cast<double>(options.confidence) : 1.0) * std::pow((has ? 1.0 : 0.0) - x, 2);
    }
    return loss;
  };
  for (std::uint32_t item = 0; item < world().catalogue; item += 7)
    for (std::size_t k = 0; k < options.factors; ++k) {
      constexpr double h = 1e-4;
      const double slope = (loss_of_item(item, k, h) - loss_of_item(item, k, -h)) / (2 * h);
      const double moved = static_cast<double>(before.row(item)[k] - federation.state().shared.row(item)[k]);
      EXPECT_NEAR(moved / static_cast<double>(rate), slope, 2e-2 + 1e-3 * std::abs(slope))
          << item << ' ' << k;
    }
}

TEST(Fcf, AdamAndPlainStepsLowerTheLoss) {
  for (const ServerStep step : {ServerStep::adam, ServerStep::sgd})
    for (const double cohort : {1.0, 0.25}) {
      SerialExecutor serial;
      const Plan plan = plan_of(1.0, MaskKind::sticky, cohort);
      HistoryFederation<Fcf> federation(fcf(plan, step), plan, schedule_of(plan), world().train, serial);
      const std::uint32_t epoch = schedule_of(plan).rounds_per_epoch;
      const double first = federation.run(epoch)->mean_loss();
      for (int n = 0; n < 20; ++n) ASSERT_TRUE(federation.run(epoch).ok());
      EXPECT_LT(federation.run(epoch)->mean_loss(), first) << to_string(step) << cohort;
    }
}

TEST(Fcf, WhatIsKeptBackIsAnsweredAsIfItWereNotConsumed) {
  // With π = 0 every device answers 2(p·q_i)p for all items: the sum is (Σ p pᵀ) q_i, whoever has what.
  SerialExecutor serial;
  const Plan plan = plan_of(0.0);
  constexpr float rate = 1e-3f;
  const Fcf model({.als = als(), .server = {.step = ServerStep::sgd, .rate = rate}}, world().catalogue, 1.0);
  HistoryFederation<Fcf> federation(model, plan, schedule_of(plan), world().train, serial);
  const RowMatrix before = federation.state().shared;
  RowMatrix users = federation.state().devices.on_device();
  const FactorSide side(before, serial);
  AlsSolver solver(als());
  for (const UserIndex user : users_with_history(world().train))
    ASSERT_TRUE(solver.solve(side, world().train.of(user), before.rows(), users.row(user.value)).solved);
  const RoundReport report = federation.run(1).value();
  EXPECT_EQ(report.bytes_up, report.exchanges * (20 + world().catalogue * (4 + 4 * als().factors)));
  for (std::uint32_t item = 0; item < world().catalogue; item += 5)
    for (std::size_t k = 0; k < als().factors; ++k) {
      double slope = 2.0 * static_cast<double>(als().lambda) * static_cast<double>(before.row(item)[k]);
      for (const UserIndex user : users_with_history(world().train)) {
        double x = 0.0;
        for (std::size_t j = 0; j < als().factors; ++j)
          x += static_cast<double>(users.row(user.value)[j]) * static_cast<double>(before.row(item)[j]);
        slope += 2.0 * x * static_cast<double>(users.row(user.value)[k]);
      }
      const double moved = static_cast<double>(before.row(item)[k] - federation.state().shared.row(item)[k]);
      EXPECT_NEAR(moved / static_cast<double>(rate), slope, 1e-2) << item;
    }
}

// Whether a gradient of the formula has a number that the integers of one update do not hold.
bool leaves_range(const RowMatrix& users, UserIndex user, const float* q, double weight, double wanted,
                  int bits) {
  double x = 0.0, largest = 0.0;
  for (std::size_t k = 0; k < als().factors; ++k) {
    const auto p = static_cast<double>(users.row(user.value)[k]);
    x += p * static_cast<double>(q[k]);
    largest = std::max(largest, std::abs(p));
  }
  return std::ldexp(std::abs(2.0 * weight * (wanted - x)) * largest, bits) > step_limit;
}

TEST(Fcf, CountsTheRowsWhoseNumbersAreHeldWithinTheRange) {
  SerialExecutor serial;
  AlsOptions sure = als();
  sure.confidence = 1000.0f;
  const Fcf model({.als = sure}, world().catalogue, 1.0);
  const RowMatrix items = model.start_shared();
  RowMatrix users(world().train.users(), model.private_width());
  const FactorSide side(items, serial);
  AlsSolver solver(sure);
  for (const UserIndex user : users_with_history(world().train))
    ASSERT_TRUE(solver.solve(side, world().train.of(user), items.rows(), users.row(user.value)).solved);
  for (const int bits : {8, 20, 22}) {
    std::uint64_t expected = 0;
    for (const UserIndex user : users_with_history(world().train))
      for (std::uint32_t item = 0; item < world().catalogue; ++item) {
        const bool has = world().train.contains(user, ItemIndex{item});
        expected += leaves_range(users, user, items.row(item), has ? 1001.0 : 1.0, has ? 1.0 : 0.0, bits);
      }
    EXPECT_EQ(expected > 0, bits > 8) << bits;
    Plan plan = plan_of();
    plan.fixed.bits = bits;
    for (const Path path : {Path::fast, Path::wire})
      EXPECT_EQ(run(model, plan, 1, 2, path).report.held_rows, expected) << bits;
  }
}

}  // namespace sotto::sim::history_federation_test
