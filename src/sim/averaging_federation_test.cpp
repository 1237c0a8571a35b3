#include "sim/averaging_federation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fed/criteria/weighing_collector.h"
#include "fed/secure/secure_collector.h"
#include "sim/thread_pool.h"

namespace sotto::sim::averaging_federation_test {

constexpr std::size_t numbers = 21;  // two rows, the second not full

// Each device wants to be at a point of its own: the loss is ½‖Θ − point‖², one example.
class Points final : public LocalTask {
 public:
  explicit Points(std::size_t devices, bool has_own = false) : devices_(devices), has_own_(has_own) {}

  [[nodiscard]] std::size_t parameters() const override { return numbers; }
  [[nodiscard]] std::vector<std::size_t> layer_ends() const override { return {5, numbers}; }
  [[nodiscard]] std::size_t devices() const override { return devices_; }
  [[nodiscard]] bool takes_part(UserIndex device) const override { return device.value != 1; }
  void start(std::uint64_t seed, std::span<float> model) const override {
    for (std::size_t n = 0; n < model.size(); ++n) model[n] = static_cast<float>(seed + n) / 64.0f;
  }
  [[nodiscard]] std::size_t private_width() const override { return has_own_ ? 1 : 0; }
  void start_private(std::uint64_t /*seed*/, UserIndex device, std::span<float> own) const override {
    own[0] = static_cast<float>(device.value);
  }
  [[nodiscard]] static float point(UserIndex device, std::size_t n) {
    return static_cast<float>((device.value * 7 + n * 3) % 11) / 8.0f;
  }
  [[nodiscard]] Result<LocalReport> train(std::uint64_t /*seed*/, std::uint32_t round, UserIndex device,
                                          const LocalTraining& how, std::span<float> model,
                                          std::span<float> own) const override {
    if (!own.empty()) own[0] += 100.0f;
    for (std::uint32_t epoch = 0; epoch < how.epochs; ++epoch)
      for (std::size_t n = 0; n < model.size(); ++n) model[n] -= how.rate * (model[n] - point(device, n));
    return LocalReport{.examples = how.epochs, .finite = round != breaks_in};
  }
  [[nodiscard]] Result<LocalScore> score(UserIndex, LocalPart, std::span<const float>,
                                         std::span<std::uint8_t>) const override {
    return LocalScore{};
  }

  std::uint32_t breaks_in = 1000;

 private:
  std::size_t devices_;
  bool has_own_;
};

AveragingPlan all_of_them() {
  AveragingPlan plan;
  plan.seed = 3, plan.cohort = 1.0, plan.local.epochs = 2, plan.local.rate = 0.25f;
  return plan;
}

// Where two steps of a quarter lead from `from`.
float trained(UserIndex device, std::size_t n, float from) {
  return 0.5625f * from + 0.4375f * Points::point(device, n);
}

std::vector<float> start_of(const Points& task) {
  std::vector<float> model(numbers);
  task.start(3, model);
  return model;
}

TEST(AveragingFederation, APlainRoundIsTheMeanOfTheDevicesModels) {
  const Points task(6);
  PlainCollector collector(averaging_shape(task.parameters()));
  SerialExecutor executor;
  AveragingFederation federation(task, all_of_them(), executor, collector);
  ASSERT_EQ(federation.cohort_size(), 5u);  // one has nothing to train on
  const std::vector<float> before = start_of(task);
  const RoundReport report = federation.run(1).value();
  EXPECT_EQ(report.exchanges, 5u);
  EXPECT_EQ(report.triples, 10u);
  for (std::size_t n = 0; n < numbers; ++n) {
    double mean = 0.0;
    for (const std::uint32_t device : {0u, 2u, 3u, 4u, 5u})
      mean += trained(UserIndex{device}, n, before[n]) / 5.0;
    EXPECT_NEAR(federation.model()[n], mean, 1e-6) << n;
  }
  // What lies beyond the last number stays nothing.
  for (std::size_t n = numbers; n < 32; ++n) EXPECT_EQ(federation.state().shared.row(0)[n], 0.0f);
}

class Trusted final : public FactsSource {
 public:
  [[nodiscard]] DeviceFacts of(UserIndex device) const override {
    DeviceFacts facts;
    facts.trust = device.value / 100.0;
    return facts;
  }
};

TEST(AveragingFederation, CriteriaWeighTheMean) {
  const Points task(6);
  const Trusted facts;
  PlainCollector sum(averaging_shape(task.parameters()));
  const SumMaker plain = [](SumShape shape) { return std::make_unique<PlainCollector>(shape); };
  WeighingCollector collector({.order = parse_order("trust").value()}, facts, {}, plain, sum);
  SerialExecutor executor;
  AveragingFederation federation(task, all_of_them(), executor, collector);
  const std::vector<float> before = start_of(task);
  ASSERT_TRUE(federation.run(1).ok());
  for (std::size_t n = 0; n < numbers; ++n) {
    double mean = 0.0;  // 0 + 2 + 3 + 4 + 5 = 14
    for (const std::uint32_t device : {2u, 3u, 4u, 5u})
      mean += device / 14.0 * trained(UserIndex{device}, n, before[n]);
    EXPECT_NEAR(federation.model()[n], mean, 1e-6) << n;
  }
}

// Trust that a test says, one a device.
class Given final : public FactsSource {
 public:
  explicit Given(std::vector<double> trust) : trust_(std::move(trust)) {}
  [[nodiscard]] DeviceFacts of(UserIndex device) const override {
    DeviceFacts facts;
    facts.trust = trust_[device.value];
    return facts;
  }

 private:
  std::vector<double> trust_;
};

// One round of a hundred devices (and one that has nothing to train on), weighed by trust.
std::vector<float> round_of_a_hundred(const std::vector<double>& trust) {
  const Points task(101);
  const Given facts(trust);
  PlainCollector sum(averaging_shape(task.parameters()));
  const SumMaker plain = [](SumShape shape) { return std::make_unique<PlainCollector>(shape); };
  WeighingCollector weigher({.order = parse_order("trust").value()}, facts, {.fixed = {}, .rows = 2}, plain,
                            sum);
  SerialExecutor executor;
  AveragingFederation federation(task, all_of_them(), executor,
                                 trust.empty() ? static_cast<Collector&>(sum) : weigher);
  const auto report = federation.run(1);
  EXPECT_TRUE(report.ok()) << report.error().message;
  return {federation.model().begin(), federation.model().end()};
}

TEST(AveragingFederation, OneDeviceMayWeighAsMuchAsItsWholeCohort) {
  std::vector<double> trust(101, 0.0);
  trust[0] = 1.0;  // weighs 100
  const std::vector<float> model = round_of_a_hundred(trust), before = start_of(Points(101));
  for (std::size_t n = 0; n < numbers; ++n)
    EXPECT_NEAR(model[n], trained(UserIndex{0}, n, before[n]), 1e-6) << n;
}

TEST(AveragingFederation, WhoAllWeighTheSameGiveThePlainMean) {
  const std::vector<float> plain = round_of_a_hundred({}), before = start_of(Points(101));
  EXPECT_EQ(round_of_a_hundred(std::vector<double>(101, 0.3)), plain);
  for (std::size_t n = 0; n < numbers; ++n) {
    double mean = 0.0;
    for (std::uint32_t device = 0; device < 101; ++device)
      if (device != 1) mean += double{trained(UserIndex{device}, n, before[n])} / 100.0;
    EXPECT_NEAR(plain[n], mean, 1e-6) << n;
  }
}

TEST(AveragingFederation, ThreadsAndSecureSumsChangeNoByte) {
  const Points task(24);
  AveragingPlan plan = all_of_them();
  plan.cohort = 0.6;
  plan.server = {.step = ServerStep::adam, .rate = 0.05f};
  const Trusted facts;
  const auto bytes_of = [&](Executor& executor, SumKind kind) {
    SumOptions options;
    options.kind = kind;
    options.assumed = {.corrupt = 0.05, .dropped = 0.3, .crowd = 4};
    std::uint64_t seed = 0;
    const SumMaker maker = [&](SumShape shape) -> std::unique_ptr<Collector> {
      if (kind == SumKind::plain) return std::make_unique<PlainCollector>(shape);
      return std::make_unique<SecureCollector>(options, shape, ++seed, executor);
    };
    const std::unique_ptr<Collector> sum = maker(averaging_shape(task.parameters()));
    WeighingCollector collector({.order = parse_order("trust>MW").value()}, facts,
                                {.fixed = plan.fixed, .rows = 2}, maker, *sum);
    AveragingFederation federation(task, plan, executor, collector);
    EXPECT_TRUE(federation.run(3).ok());
    return std::vector<float>(federation.model().begin(), federation.model().end());
  };
  SerialExecutor one;
  ThreadPool three(3);
  const std::vector<float> expected = bytes_of(one, SumKind::plain);
  EXPECT_EQ(bytes_of(three, SumKind::plain), expected);
  EXPECT_EQ(bytes_of(one, SumKind::secure), expected);
}

TEST(AveragingFederation, GoesOnFromAState) {
  const Points task(9, true);
  AveragingPlan plan = all_of_them();
  plan.cohort = 0.5;
  plan.server = {.step = ServerStep::momentum, .rate = 0.5f};
  PlainCollector collector(averaging_shape(task.parameters()));
  SerialExecutor executor;
  AveragingFederation whole(task, plan, executor, collector);
  ASSERT_TRUE(whole.run(4).ok());
  AveragingFederation first(task, plan, executor, collector), second(task, plan, executor, collector);
  ASSERT_TRUE(first.run(2).ok());
  second.restore(std::move(first).take());
  ASSERT_TRUE(second.run(2).ok());
  EXPECT_TRUE(std::ranges::equal(second.model(), whole.model()));
  for (std::size_t device = 0; device < 9; ++device)
    EXPECT_EQ(second.state().devices.on_device().row(device)[0],
              whole.state().devices.on_device().row(device)[0]);
}

TEST(AveragingFederation, WhatRunsAwayIsSaid) {
  Points task(4);
  PlainCollector collector(averaging_shape(task.parameters()));
  SerialExecutor executor;
  AveragingPlan plan = all_of_them();
  plan.local.rate = -1000.0f;
  AveragingFederation wild(task, plan, executor, collector);
  const auto outcome = wild.run(5);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, Code::diverged);
  task.breaks_in = 2;
  AveragingFederation federation(task, all_of_them(), executor, collector);
  const auto told = federation.run(5);
  ASSERT_FALSE(told.ok());
  EXPECT_NE(told.error().message.find("round 3:"), std::string::npos);  // the third: people count from 1
}

TEST(AveragingFederation, PlansAreChecked) {
  const Points task(4), nobody(0);
  AveragingPlan plan;
  EXPECT_TRUE(check(plan, task).ok());
  EXPECT_FALSE(check(plan, nobody).ok());
  plan.cohort = 0.0;
  EXPECT_FALSE(check(plan, task).ok());
  plan = {}, plan.local.epochs = 0;
  EXPECT_FALSE(check(plan, task).ok());
  plan = {}, plan.local.rate = std::nanf("");
  EXPECT_FALSE(check(plan, task).ok());
  plan = {}, plan.local.proximal = -1.0f;
  EXPECT_FALSE(check(plan, task).ok());
}

}  // namespace sotto::sim::averaging_federation_test
