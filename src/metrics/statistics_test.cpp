#include "metrics/statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace sotto::metrics::statistics_test {

using Values = std::vector<double>;

// Hours of sleep gained with two drugs ("Student", Biometrika 1908; data(sleep) in R).
const Values first_drug{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const Values second_drug{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
// Depression before and after treatment (Hollander and Wolfe 1973; the example of R's wilcox.test).
const Values before{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
const Values after{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};

TEST(Statistics, StudentsOwnExample) {
  const TestOutcome outcome = paired_t_test(first_drug, second_drug);  // R: t = -4.0621, p-value = 0.002833
  EXPECT_NEAR(outcome.statistic, -4.0621, 5e-5);
  EXPECT_NEAR(outcome.p, 0.002833, 5e-7);
  EXPECT_EQ(outcome.used, 10u);
  const Interval interval = mean_interval(differences(first_drug, second_drug));
  EXPECT_NEAR(interval.low, -2.4598858, 5e-8);
  EXPECT_NEAR(interval.high, -0.7001142, 5e-8);
  EXPECT_NEAR(effect_size(first_drug, second_drug).cohen_dz, -1.58 / 1.229995, 1e-5);
}

TEST(Statistics, WilcoxonAsInTheDocumentationOfR) {
  const TestOutcome exact = wilcoxon_test(before, after);  // V = 40, p-value = 0.01953 one-sided
  EXPECT_EQ(exact.statistic, 40.0);
  EXPECT_TRUE(exact.exact);
  EXPECT_NEAR(exact.p, 0.0390625, 1e-15);
  EXPECT_NEAR(effect_size(before, after).rank_biserial, (40.0 - 5.0) / 45.0, 1e-15);
  // Ties and one pair without a difference: V = 0, p-value = 0.009091.
  const TestOutcome tied = wilcoxon_test(first_drug, second_drug);
  EXPECT_EQ(tied.statistic, 0.0);
  EXPECT_FALSE(tied.exact);
  EXPECT_EQ(tied.used, 9u);
  EXPECT_NEAR(tied.p, 0.009091, 5e-7);
  EXPECT_EQ(effect_size(first_drug, second_drug).rank_biserial, -1.0);
}

// Every way to give the ranks their signs.
double enumerated_p(std::size_t n, double positive) {
  const double middle = static_cast<double>(n * (n + 1)) / 4.0;
  double as_far = 0.0;
  for (std::uint32_t signs = 0; signs < 1u << n; ++signs) {
    double sum = 0.0;
    for (std::size_t rank = 1; rank <= n; ++rank)
      if ((signs >> (rank - 1) & 1u) != 0) sum += static_cast<double>(rank);
    if (std::fabs(sum - middle) >= std::fabs(positive - middle)) as_far += 1.0;
  }
  return as_far / static_cast<double>(1u << n);
}

RC_GTEST_PROP(Statistics, ExactWilcoxonIsTheEnumeration, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 13);
  Values a(n), b(n, 0.0);
  double positive = 0.0;
  for (std::size_t k = 0; k < n; ++k) {  // sizes 1, 2, …: their own ranks
    const bool wins = *rc::gen::arbitrary<bool>();
    a[n - 1 - k] = static_cast<double>(k + 1) * (wins ? 1.0 : -1.0);
    if (wins) positive += static_cast<double>(k + 1);
  }
  const TestOutcome outcome = wilcoxon_test(a, b);
  RC_ASSERT(outcome.exact);
  RC_ASSERT(outcome.statistic == positive);
  RC_ASSERT(std::fabs(outcome.p - enumerated_p(n, positive)) < 1e-12);
}

// Where both ways are open, the curve is near the count.
TEST(Statistics, TheNormalCurveIsNearTheExactCount) {
  Values a, b;
  for (int k = 1; k <= 49; ++k) {
    a.push_back(k % 3 == 0 ? -k : k);
    b.push_back(0.0);
  }
  const TestOutcome exact = wilcoxon_test(a, b);
  a.push_back(1e-3);  // 50 pairs, and the least difference
  b.push_back(0.0);
  const TestOutcome curve = wilcoxon_test(a, b);
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(curve.exact);
  EXPECT_NEAR(curve.p, exact.p, 0.1 * exact.p);
}

TEST(Statistics, RoundingMakesNeitherDifferencesNorBreaksTies) {
  EXPECT_EQ(differences(Values{0.1 + 0.2, 1.0}, Values{0.3, 0.5}), (Values{0.0, 0.5}));
  const Values three = differences(Values{0.3, 0.2, 0.1}, Values{0.2, 0.1, 0.2});
  EXPECT_EQ(three[0], three[1]);
  EXPECT_EQ(three[0], -three[2]);
  EXPECT_EQ(paired_t_test(Values{0.3, 0.2}, Values{0.2, 0.1}).p, 0.0);
}

TEST(Statistics, NothingDiffersOrEverythingAlike) {
  const Values same{1.0, 2.0, 3.0};
  EXPECT_EQ(paired_t_test(same, same).p, 1.0);
  EXPECT_EQ(wilcoxon_test(same, same).p, 1.0);
  EXPECT_EQ(effect_size(same, same).cohen_dz, 0.0);
  EXPECT_EQ(effect_size(same, same).rank_biserial, 0.0);
  EXPECT_EQ(paired_t_test(Values{2.0, 3.0}, Values{1.0, 2.0}).statistic,
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(paired_t_test(Values{2.0}, Values{1.0}).p, 1.0);
  EXPECT_EQ(wilcoxon_test(Values{2.0}, Values{1.0}).p, 1.0);
  EXPECT_EQ(wilcoxon_test(Values{}, Values{}).p, 1.0);
}

RC_GTEST_PROP(Statistics, SidesMayBeSwapped, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(2, 80);
  Values a(n), b(n);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = *rc::gen::inRange(0, 6) / 5.0;
    b[k] = *rc::gen::inRange(0, 6) / 5.0;
  }
  for (const PairedTest test : {PairedTest::t, PairedTest::wilcoxon}) {
    const double p = paired_test(test, a, b).p;
    RC_ASSERT(p >= 0.0 && p <= 1.0);
    RC_ASSERT(std::fabs(paired_test(test, b, a).p - p) < 1e-12);
  }
  RC_ASSERT(std::fabs(effect_size(a, b).rank_biserial + effect_size(b, a).rank_biserial) < 1e-12);
}

TEST(Statistics, HolmByHand) {
  // Four tests: 0.005·4, then 0.01·3, then 0.03·2, and 0.04·1 may not fall below the one before.
  const Values adjusted = holm(Values{0.01, 0.04, 0.03, 0.005});
  const Values expected{0.03, 0.06, 0.06, 0.02};
  for (std::size_t n = 0; n < 4; ++n) EXPECT_NEAR(adjusted[n], expected[n], 1e-15) << n;
  EXPECT_EQ(holm(Values{0.7, 0.9}), (Values{1.0, 1.0}));
  EXPECT_TRUE(holm(Values{}).empty());
}

// Holm's procedure as it is told: from the smallest p on, until one does not pass α / (tests left).
RC_GTEST_PROP(Statistics, HolmRejectsWhatTheStepsReject, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  Values p(count);
  for (double& value : p) value = *rc::gen::inRange(0, 1000) / 1000.0 * *rc::gen::inRange(0, 1000) / 9000.0;
  const double alpha = 0.05;
  std::vector<bool> rejected(count, false);
  for (std::size_t left = count; left > 0; --left) {
    std::size_t least = count;
    for (std::size_t n = 0; n < count; ++n)
      if (!rejected[n] && (least == count || p[n] < p[least])) least = n;
    if (p[least] * static_cast<double>(left) >= alpha) break;
    rejected[least] = true;
  }
  const Values adjusted = holm(p);
  for (std::size_t n = 0; n < count; ++n) RC_ASSERT((adjusted[n] < alpha) == rejected[n]);
}

TEST(Statistics, SpreadOfAFewSeeds) {
  const Spread spread = spread_of(Values{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0});
  EXPECT_DOUBLE_EQ(spread.mean, 5.0);
  EXPECT_NEAR(spread.sd, std::sqrt(32.0 / 7.0), 1e-15);
  // Three seeds: t(0.975, 2) = 4.303.
  const Interval interval = mean_interval(Values{1.0, 2.0, 3.0});
  EXPECT_NEAR(interval.high, 2.0 + 4.3026527 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(interval.low, 2.0 - 4.3026527 / std::sqrt(3.0), 1e-6);
  EXPECT_TRUE(std::isinf(mean_interval(Values{1.0}).high));
  EXPECT_EQ(spread_of(Values{0.1, 0.1, 0.1}).sd, 0.0);
}

TEST(Statistics, TestsHaveNames) {
  EXPECT_EQ(parse_paired_test("t").value(), PairedTest::t);
  EXPECT_EQ(parse_paired_test(to_string(PairedTest::wilcoxon)).value(), PairedTest::wilcoxon);
  EXPECT_EQ(parse_paired_test("luck").error().code, Code::usage);
}

}  // namespace sotto::metrics::statistics_test
