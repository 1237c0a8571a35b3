#include "fed/dp_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

namespace sotto::dp_sum_test {

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

}  // namespace sotto::dp_sum_test
