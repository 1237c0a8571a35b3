#include "fed/dp_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sotto::fed::dp_sum_test {

constexpr SumShape shape{5, 3};
using Sums = std::map<std::uint32_t, std::vector<std::int64_t>>;

Contribution contribution_of(const std::map<std::uint32_t, std::int32_t>& rows) {
  Contribution contribution(shape.width);
  ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, UserIndex{0}), {}, contribution);
  for (const auto& [row, value] : rows)
    std::fill_n(pipeline.open(Evidence::positive, row), shape.width, value);
  return contribution;
}

// One round of `devices` that each give `rows`; the released sum, or why there was none.
Result<Sums> round_of(
    const DpSumPlan& plan, const std::map<std::uint32_t, std::int32_t>& rows, std::size_t devices,
    std::size_t staying, std::uint32_t round = 0,
    const DpSum::Charge& charge = [](std::uint32_t) { return Status(Done{}); }) {
  PlainCollector plain(shape);
  DpSum sum(shape, plan, charge, plain);
  std::vector<UserIndex> cohort;
  for (std::uint32_t n = 0; n < devices; ++n) cohort.push_back(UserIndex{n});
  SOTTO_TRY_DONE(sum.begin({round, cohort, nullptr}));
  for (std::size_t n = 0; n < staying; ++n) {
    Contribution contribution = contribution_of(rows);
    SOTTO_TRY_DONE(sum.accept(cohort[n], contribution));
  }
  SumSpace space(shape.rows, shape.width);
  Aggregator total(space);
  SOTTO_TRY_DONE(sum.finish(total).ok() ? Status(Done{}) : Status(fail(Code::bad_input, "refused")));
  Sums sums;
  std::move(total).release(
      [&](std::uint32_t row, const auto* values) { sums[row].assign(values, values + shape.width); });
  return sums;
}

DpSumPlan plan_of(DpPlace place, std::uint64_t variance) {
  return {.place = place, .clip = {.whole = 1000.0}, .variance = variance, .release = "test", .seed = 7};
}

// Mean square of the released numbers where people give nothing: the variance of the noise.
double measured_variance(const DpSumPlan& plan, std::size_t devices, std::size_t staying) {
  double squares = 0.0;
  int count = 0;
  for (std::uint32_t round = 0; round < 300; ++round) {
    const auto sums = round_of(plan, {}, devices, staying, round);
    EXPECT_TRUE(sums.ok());
    EXPECT_EQ(sums->size(), shape.rows) << "noise lies on every row";
    for (const auto& [row, values] : *sums)
      for (const std::int64_t value : values) squares += static_cast<double>(value * value), ++count;
  }
  return squares / count;
}

// 4,500 draws: the mean square is off by more than 15% less than once in 10^10.
TEST(DpSumPlan, ClipIsRoundedDownAndVarianceUp) {
  const DpSumPlan plan = dp_sum_plan({.clip = 1.5, .noise = 0.3, .unit = 7.0});
  EXPECT_EQ(plan.clip.whole, 10.0);                                                 // of 10.5
  EXPECT_EQ(plan.variance, 9u);                                                     // (0.3 · 10)²
  EXPECT_EQ(dp_sum_plan({.clip = 1.5, .noise = 0.31, .unit = 7.0}).variance, 10u);  // 9.61
  EXPECT_FALSE(check(dp_sum_plan({.clip = 1e6, .noise = 1e6, .unit = 1e6})).ok());
  EXPECT_FALSE(check(dp_sum_plan({.clip = 0.01, .noise = 1.0, .unit = 7.0})).ok());
}

TEST(DpSum, NoiseHasThePlannedVariance) {
  const double variance = 250'000.0;
  const auto units = static_cast<std::uint64_t>(variance);
  EXPECT_NEAR(measured_variance(plan_of(DpPlace::central, units), 8, 8), variance, .15 * variance);
  EXPECT_NEAR(measured_variance(plan_of(DpPlace::distributed, units), 8, 8), variance, .15 * variance);
  EXPECT_NEAR(measured_variance(plan_of(DpPlace::local, units), 8, 8), 8 * variance, .15 * 8 * variance);
}

TEST(DpSum, DistributedNoiseSufficesWhenAsManyStayAsPlanned) {
  DpSumPlan plan = plan_of(DpPlace::distributed, 250'000);
  plan.survivors = .75;
  EXPECT_GT(measured_variance(plan, 8, 6), .85 * 250'000);
  EXPECT_NEAR(measured_variance(plan, 8, 8), 250'000 * 8.0 / 6.0, .15 * 250'000 * 8.0 / 6.0);
  EXPECT_FALSE(round_of(plan, {}, 8, 5).ok()) << "with fewer the noise would be too small";
  EXPECT_EQ(shared_variance(10, 3), 4u);
}

TEST(DpSum, CorruptDevicesSharesDoNotCount) {
  DpSumPlan plan = plan_of(DpPlace::distributed, 250'000);
  plan.survivors = .75;
  plan.corrupt = .25;
  ASSERT_TRUE(check(plan).ok());
  EXPECT_EQ(counted_shares(plan, 8), 4u);
  // Two of the six that stay at least know their own shares: the other four make up the noise.
  EXPECT_NEAR(measured_variance(plan, 8, 8), 250'000 * 8.0 / 4.0, .15 * 250'000 * 8.0 / 4.0);
  plan.corrupt = .75;
  EXPECT_FALSE(check(plan).ok());
}

// The plain sum, but half of the devices fall silent on the way.
class LossySum final : public Collector {
 public:
  Status begin(const RoundPlace& place) override { return plain_.begin(place); }
  Status accept(UserIndex user, Contribution& contribution) override {
    return user.value % 2 == 0 ? plain_.accept(user, contribution) : Status(Done{});
  }
  Result<Traffic> finish(Aggregator& total) override {
    SOTTO_TRY(Traffic traffic, plain_.finish(total));
    traffic.devices = 1;
    return traffic;
  }

 private:
  PlainCollector plain_{shape};
};

TEST(DpSum, WhenTooFewStayTheTotalIsAsItWas) {
  LossySum lossy;
  DpSum sum(
      shape, plan_of(DpPlace::distributed, 100), [](std::uint32_t) { return Status(Done{}); }, lossy);
  const std::vector<UserIndex> cohort{UserIndex{0}, UserIndex{1}};
  ASSERT_TRUE(sum.begin({0, cohort, nullptr}).ok());
  for (const UserIndex user : cohort) {
    Contribution contribution = contribution_of({{1, 5}});
    ASSERT_TRUE(sum.accept(user, contribution).ok());
  }
  SumSpace space(shape.rows, shape.width);
  Aggregator total(space);
  EXPECT_FALSE(sum.finish(total).ok());
  std::size_t rows = 0;
  std::move(total).release([&](std::uint32_t, const auto*) { ++rows; });
  EXPECT_EQ(rows, 0u);
}

DpSumPlan laplace_plan(DpPlace place, std::uint64_t scale) {
  return {.place = place,
          .clip = {.whole = 1000.0, .length = ClipLength::absolute},
          .kind = NoiseKind::laplace,
          .scale = scale,
          .release = "test",
          .seed = 7};
}

// What a server sees of each device.
class SeenMessages final : public Collector {
 public:
  Status begin(const RoundPlace&) override { return Done{}; }
  Status accept(UserIndex, Contribution& contribution) override {
    rows += contribution.size();
    for (std::size_t n = 0; n < contribution.size(); ++n)
      values.insert(values.end(), contribution.values(n), contribution.values(n) + contribution.width());
    return Done{};
  }
  Result<Traffic> finish(Aggregator&) override { return Traffic{}; }

  std::size_t rows = 0;
  std::vector<std::int64_t> values;
};

// The chance that the discrete Laplace lies at or below x.
double laplace_below(std::int64_t x, double scale) {
  const double p = std::exp(-1.0 / scale), at = static_cast<double>(x);
  return x >= 0 ? 1.0 - std::pow(p, at + 1.0) / (1.0 + p) : std::pow(p, -at) / (1.0 + p);
}

// Largest distance between the draws' distribution and the law, times √n. On whole numbers it is no larger
// than on the line.
template <class Law>
double kolmogorov(std::vector<std::int64_t> draws, Law below) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double most = 0.0;
  for (std::size_t k = 0; k < draws.size(); ++k)
    if (k + 1 == draws.size() || draws[k + 1] != draws[k])
      most = std::max(most, std::abs(below(draws[k]) - static_cast<double>(k + 1) / n));
  return most * std::sqrt(n);
}

TEST(DpSum, WhatADeviceSendsUnderLocalLaplaceNoiseIsTheDiscreteLaplace) {
  EXPECT_NEAR(laplace_below(0, 1.0), 1.0 / (1.0 + std::exp(-1.0)), 1e-12);  // 1 − p/(1 + p)
  EXPECT_NEAR(laplace_below(-1, 1.0), std::exp(-1.0) / (1.0 + std::exp(-1.0)), 1e-12);
  const double scale = 40.0;
  SeenMessages seen;
  DpSum sum(
      shape, laplace_plan(DpPlace::local, 40), [](std::uint32_t) { return Status(Done{}); }, seen);
  std::vector<UserIndex> cohort;
  for (std::uint32_t n = 0; n < 10; ++n) cohort.push_back(UserIndex{n});
  for (std::uint32_t round = 0; round < 300; ++round) {
    ASSERT_TRUE(sum.begin({round, cohort, nullptr}).ok());
    for (const UserIndex user : cohort) {
      Contribution contribution = contribution_of({{2, 7}});
      ASSERT_TRUE(sum.accept(user, contribution).ok());
    }
  }
  EXPECT_EQ(seen.rows, 300 * cohort.size() * shape.rows) << "every row, touched or not";
  for (std::size_t n = 0; n < seen.values.size(); ++n)
    if (n / shape.width % shape.rows == 2) seen.values[n] -= 7;
  // P(K > 2.4) < 2·10⁻⁵ under the law; 45,000 draws tell a scale that is 10% off, and a Gaussian.
  EXPECT_LT(kolmogorov(seen.values, [&](std::int64_t x) { return laplace_below(x, scale); }), 2.4);
  for (const double wrong : {.9, 1.1})
    EXPECT_GT(kolmogorov(seen.values, [&](std::int64_t x) { return laplace_below(x, wrong * scale); }), 2.4);
  EXPECT_GT(kolmogorov(seen.values,
                       [&](std::int64_t x) {
                         return .5 * std::erfc(-(static_cast<double>(x) + .5) / scale / 2.0);  // σ = √2·b
                       }),
            2.4);
}

TEST(DpSum, CentralLaplaceNoiseHasThePlannedVariance) {
  EXPECT_NEAR(measured_variance(laplace_plan(DpPlace::central, 300), 8, 8), 2.0 * 90'000, .2 * 2.0 * 90'000);
}

RC_GTEST_PROP(DpSum, UnderLaplaceNoiseNobodyChangesTheSumByMoreThanTheClip, ()) {
  std::map<std::uint32_t, std::int32_t> rows;
  for (std::uint32_t row = 0; row < shape.rows; ++row)
    if (*rc::gen::arbitrary<bool>()) rows[row] = *rc::gen::inRange(-100'000'000, 100'000'000);
  const DpSumPlan plan = laplace_plan(DpPlace::central, 5);
  const Sums with = *round_of(plan, rows, 1, 1), without = *round_of(plan, {}, 1, 1);
  std::int64_t whole = 0;
  for (const auto& [row, values] : with)
    for (std::size_t k = 0; k < values.size(); ++k) whole += std::abs(values[k] - without.at(row)[k]);
  RC_ASSERT(static_cast<double>(whole) <= plan.clip.whole);
}

TEST(DpSumPlan, LaplaceNoiseIsForAbsoluteValuesAndTwoUnitsMore) {
  const DpSumPlan plan = dp_sum_plan({.clip = 1.5, .noise = 0.3, .unit = 7.0, .kind = NoiseKind::laplace});
  EXPECT_EQ(plan.clip.whole, 10.0);
  EXPECT_EQ(plan.clip.length, ClipLength::absolute);
  EXPECT_EQ(plan.scale, 4u);  // of 0.3 · 12
  EXPECT_TRUE(check(plan).ok());
  DpSumPlan shares = plan;
  shares.place = DpPlace::distributed;
  EXPECT_NE(check(shares).error().message.find("do not add up"), std::string::npos);
  DpSumPlan euclidean = plan;
  euclidean.clip.length = ClipLength::euclidean;
  EXPECT_FALSE(check(euclidean).ok());
  DpSumPlan gaussian = plan_of(DpPlace::central, 9);
  gaussian.clip.length = ClipLength::absolute;
  EXPECT_FALSE(check(gaussian).ok());
  EXPECT_FALSE(check(laplace_plan(DpPlace::central, 0)).ok());
  EXPECT_FALSE(check(dp_sum_plan({.clip = 1e6, .noise = 1e9, .unit = 1e6, .kind = NoiseKind::laplace})).ok());
}

TEST(DpSum, TheSameSeedGivesTheSameNoiseAndOthersDoNot) {
  DpSumPlan plan = plan_of(DpPlace::central, 1'000'000);
  const Sums first = *round_of(plan, {{1, 5}}, 2, 2);
  EXPECT_EQ(first, *round_of(plan, {{1, 5}}, 2, 2));
  EXPECT_NE(first, *round_of(plan, {{1, 5}}, 2, 2, 1));
  plan.release = "other";
  EXPECT_NE(first, *round_of(plan, {{1, 5}}, 2, 2));
}

RC_GTEST_PROP(DpSum, NobodyChangesTheSumByMoreThanTheClip, ()) {
  std::map<std::uint32_t, std::int32_t> rows;
  for (std::uint32_t row = 0; row < shape.rows; ++row)
    if (*rc::gen::arbitrary<bool>()) rows[row] = *rc::gen::inRange(-100'000'000, 100'000'000);
  DpSumPlan plan = plan_of(DpPlace::central, 1);
  plan.clip.row = *rc::gen::inRange(1, 2000);
  const Sums with = *round_of(plan, rows, 1, 1), without = *round_of(plan, {}, 1, 1);
  double whole = 0.0;
  for (const auto& [row, values] : with) {
    double length = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto change = static_cast<double>(values[k] - without.at(row)[k]);
      length += change * change;
    }
    RC_ASSERT(std::sqrt(length) <= plan.clip.row);
    whole += length;
  }
  RC_ASSERT(std::sqrt(whole) <= plan.clip.whole);
}

TEST(DpSum, ChargesBeforeTheReleaseAndARefusedChargeReleasesNothing) {
  int asked = 0;
  const DpSum::Charge twice = [&](std::uint32_t) -> Status {
    if (++asked > 2) return fail(Code::bad_input, "spent");
    return Done{};
  };
  const DpSumPlan plan = plan_of(DpPlace::central, 100);
  PlainCollector plain(shape);
  DpSum sum(shape, plan, twice, plain);
  SumSpace space(shape.rows, shape.width);
  const std::vector<UserIndex> cohort{UserIndex{0}};
  for (std::uint32_t round = 0; round < 3; ++round) {
    ASSERT_TRUE(sum.begin({round, cohort, nullptr}).ok());
    Contribution contribution = contribution_of({{1, 5}});
    ASSERT_TRUE(sum.accept(cohort[0], contribution).ok());
    Aggregator total(space);
    EXPECT_EQ(sum.finish(total).ok(), round < 2);
    std::size_t rows = 0;
    std::move(total).release([&](std::uint32_t, const auto*) { ++rows; });
    EXPECT_EQ(rows, round < 2 ? shape.rows : 0u);
  }
}

TEST(DpSum, RefusesPlansThatHideNobody) {
  EXPECT_TRUE(check(plan_of(DpPlace::central, 1)).ok());
  EXPECT_FALSE(check(plan_of(DpPlace::central, 0)).ok());
  EXPECT_FALSE(check(plan_of(DpPlace::central, ~std::uint64_t{0})).ok());
  DpSumPlan unclipped = plan_of(DpPlace::central, 1);
  unclipped.clip.whole = ClipLimits::none;
  EXPECT_FALSE(check(unclipped).ok());
  DpSumPlan nobody = plan_of(DpPlace::distributed, 1);
  nobody.survivors = 0.0;
  EXPECT_FALSE(check(nobody).ok());
  EXPECT_FALSE(parse_dp_place("everywhere").ok());
  EXPECT_EQ(*parse_dp_place("local"), DpPlace::local);
}

}  // namespace sotto::fed::dp_sum_test
