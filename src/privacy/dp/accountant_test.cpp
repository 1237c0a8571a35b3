#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "privacy/dp/budget.h"
#include "privacy/dp/fourier.h"
#include "privacy/dp/gaussian.h"
#include "privacy/dp/pld.h"
#include "privacy/dp/rdp.h"

namespace sotto::privacy::accountant_test {

double rdp_epsilon(double q, double noise, std::uint32_t times, double delta,
                   FractionalSeries series = FractionalSeries::bound) {
  RdpLedger ledger(series);
  ledger.add({noise, q, times});
  return ledger.epsilon(delta);
}

double pld_epsilon(double q, double noise, std::uint32_t times, double delta) {
  const NoisyReleases releases{noise, q, times};
  return Pld::of({&releases, 1}).epsilon(delta);
}

double pld_delta(double q, double noise, std::uint32_t times, double epsilon) {
  const NoisyReleases releases{noise, q, times};
  return Pld::of({&releases, 1}).delta(epsilon);
}

// ln E[(1 − q + q e^{(2z−1)/2σ²})^α], summed finely: smooth and bell-shaped, so the rule of rectangles is
// exact.
double moment_by_sum(double q, double sigma, double order) {
  const double low = -14.0 * sigma, high = order + 14.0 * sigma, width = (high - low) / 40'000.0;
  double sum = 0.0;
  for (double z = low; z < high; z += width) {
    const double ratio = 1.0 - q + q * std::exp((2.0 * z - 1.0) / (2.0 * sigma * sigma));
    sum += std::exp(order * std::log(ratio) - z * z / (2.0 * sigma * sigma));
  }
  return std::log(sum * width / (sigma * std::sqrt(2.0 * std::numbers::pi)));
}

TEST(Rdp, GivesThePublishedEpsilons) {
  EXPECT_NEAR(rdp_epsilon(.0025, 1.3, 6000, 1e-5), .7242234026, 5e-11);
  EXPECT_NEAR(rdp_epsilon(.001, 1.0, 30000, 1e-7), 1.4154988495, 5e-11);
  EXPECT_NEAR(rdp_epsilon(1.0, .7, 2, 1e-5), 10.8602036, 5e-8);
  EXPECT_NEAR(rdp_epsilon(.01, .7, 120, 1e-5), 3.2392676, 6e-8);
  EXPECT_NEAR(rdp_epsilon(1.0, .35, 2, 1e-5), 26.2880374, 5e-8);
  EXPECT_NEAR(rdp_epsilon(.01, .35, 120, 1e-5), 22.6248601, 5e-8);
  // This row was printed by an accountant that lets the series' signs be.
  EXPECT_NEAR(rdp_epsilon(.04, 1.5, 2250, 1e-5, FractionalSeries::exact), 7.32911117143, 1e-11);
}

TEST(Rdp, GivesThePublishedCurve) {
  const NoisyReleases one{2.5, .01, 1};
  EXPECT_NEAR(50 * rdp_of(one, 1.5), 6.70579741e-4, 5e-13);
  EXPECT_NEAR(50 * rdp_of(one, 2.5), 1.08548710e-3, 5e-12);
  EXPECT_NEAR(50 * rdp_of(one, 5), 2.18075656e-3, 5e-12);
  EXPECT_NEAR(50 * rdp_of(one, 50), 2.38460375e-2, 5e-11);
  EXPECT_NEAR(50 * rdp_of(one, 100), 167.416308, 5e-7);
}

TEST(Rdp, ExactSeriesIsTheIntegralAndTheBoundIsNotBelow) {
  for (const double q : {.001, .01, .2})
    for (const double sigma : {.7, 1.5, 4.0})
      for (const double order : {1.1, 1.5, 2.5, 3.0, 7.3, 12.0}) {
        const double truth = moment_by_sum(q, sigma, order) / (order - 1.0);
        const NoisyReleases one{sigma, q, 1};
        EXPECT_NEAR(rdp_of(one, order, FractionalSeries::exact), truth, 1e-9 + 1e-8 * truth)
            << q << " " << sigma << " " << order;
        EXPECT_GE(rdp_of(one, order), truth * (1.0 - 1e-8) - 1e-10) << q << " " << sigma << " " << order;
      }
}

TEST(Rdp, NothingReleasedCostsNothing) { EXPECT_EQ(RdpLedger().epsilon(1e-6), 0.0); }

TEST(Rdp, PureReleasesCostAtMostTheirSum) {
  RdpLedger ledger;
  ledger.add_pure(.5, 1);
  EXPECT_LE(ledger.epsilon(1e-9), .5 + 1e-12);
  ledger.add_pure(.5, 3);
  EXPECT_LE(ledger.epsilon(1e-9), 2.0 + 1e-12);
  RdpLedger many;
  many.add_pure(.01, 10'000);
  EXPECT_LT(many.epsilon(1e-6), 10.0);  // plainly added they would cost 100
}

TEST(Pld, GivesThePublishedValues) {
  EXPECT_NEAR(pld_epsilon(1.0, .7, 2, 1e-5), 10.1224946, 1e-3);
  EXPECT_NEAR(pld_epsilon(.01, .7, 120, 1e-5), 2.4612381, 1e-3);
  EXPECT_NEAR(pld_epsilon(1.0, .35, 2, 1e-5), 24.7160779, 1e-3);
  EXPECT_NEAR(pld_epsilon(.01, .35, 120, 1e-5), 18.6977407, 1e-3);
  EXPECT_NEAR(pld_delta(.2, .5, 3, 1.0), .15594, 1e-3);
  EXPECT_NEAR(pld_delta(1.0, std::numbers::sqrt3, 3, 1.0), .126936, 1e-6);
}

TEST(Pld, WithoutSamplingIsTheClosedFormAndNotBelow) {
  for (const double noise : {.5, 1.0, 3.0, 20.0})
    for (const std::uint32_t times : {1u, 7u, 100u}) {
      const double joint = noise / std::sqrt(static_cast<double>(times));
      const double truth = gaussian_epsilon(joint, 1e-6), pld = pld_epsilon(1.0, noise, times, 1e-6);
      EXPECT_GE(pld, truth - 1e-7) << noise << " " << times;
      EXPECT_NEAR(pld, truth, 1e-3 * std::max(1.0, truth)) << noise << " " << times;
    }
}

TEST(Pld, NeverCostsMoreThanRdp) {
  for (const double q : {.001, .2})
    for (const double noise : {.6, 1.0, 2.5})
      for (const std::uint32_t times : {1u, 300u})
        EXPECT_LE(pld_epsilon(q, noise, times, 1e-6), rdp_epsilon(q, noise, times, 1e-6) + 1e-3)
            << q << " " << noise << " " << times;
}

// Losses so large that e^−loss is no double.
TEST(Pld, WithoutSamplingIsTheClosedFormForHugeLossesToo) {
  const auto below = [](long double x) { return .5L * std::erfc(-x / std::numbers::sqrt2_v<long double>); };
  for (const auto& [noise, times] : {std::pair(.5, 300u), std::pair(.5, 1000u), std::pair(.2, 200u)}) {
    const long double joint = noise / std::sqrt(static_cast<long double>(times));
    const auto delta = [&](long double epsilon) {
      return below(.5L / joint - epsilon * joint) - std::exp(epsilon) * below(-.5L / joint - epsilon * joint);
    };
    const double told = pld_epsilon(1.0, noise, times, 1e-6);
    EXPECT_GT(told, 745.0);
    EXPECT_LE(delta(told), 1e-6L * (1.0L + 1e-4L)) << noise << " " << times;
    EXPECT_GT(delta(told * .999), 1e-6L) << noise << " " << times;
    EXPECT_LE(told, rdp_epsilon(1.0, noise, times, 1e-6)) << noise << " " << times;
  }
}

// By Chebyshev the sum of the losses is above its mean less two deviations with a chance of 3/4: an ε of one
// less has a δ of at least 3/4·(1 − 1/e).
TEST(Pld, SampledHugeLossesCostAboutTheirMeanAndNoMoreThanRdp) {
  for (const auto& [q, sigma, times] : {std::tuple(.9, .2, 300u), std::tuple(.5, .3, 500u)}) {
    double whole = 0.0, mean = 0.0, square = 0.0;
    const double width = sigma / 1000.0;
    for (double x = -12.0 * sigma; x < 1.0 + 12.0 * sigma; x += width) {
      const double plain = std::exp(-x * x / (2.0 * sigma * sigma));
      const double moved = std::exp(-(x - 1.0) * (x - 1.0) / (2.0 * sigma * sigma));
      const double mixed = (1.0 - q) * plain + q * moved, loss = std::log(mixed / plain);
      whole += mixed, mean += mixed * loss, square += mixed * loss * loss;
    }
    mean /= whole;
    const double spread = std::sqrt((square / whole - mean * mean) * times);
    const double told = pld_epsilon(q, sigma, times, 1e-6);
    EXPECT_GT(mean * times, 745.0);
    EXPECT_GT(told, mean * times - 2.0 * spread - 1.0) << q;
    EXPECT_LT(told, mean * times + 8.0 * spread) << q;
    EXPECT_LE(told, rdp_epsilon(q, sigma, times, 1e-6)) << q;
  }
}

// One sampled release has its divergence in closed form, both ways.
TEST(Pld, OneSampledReleaseIsItsHockeyStick) {
  const double q = .1, sigma = .8;
  const auto below = [](double x) { return .5 * std::erfc(-x / std::numbers::sqrt2); };
  for (const double epsilon : {.1, .5, 1.0, 2.0}) {
    const double x = sigma * sigma * std::log((std::exp(epsilon) - 1.0 + q) / q) + .5;
    const double plain = below(-x / sigma), moved = below((1.0 - x) / sigma);
    const double removed = (1.0 - q) * plain + q * moved - std::exp(epsilon) * plain;
    const double rest = std::exp(-epsilon) - 1.0 + q;
    double added = 0.0;
    if (rest > 0.0) {
      const double y = sigma * sigma * std::log(rest / q) + .5;
      const double low = below(y / sigma), mixed = (1.0 - q) * low + q * below((y - 1.0) / sigma);
      added = low - std::exp(epsilon) * mixed;
    }
    const double truth = std::max(removed, added);
    EXPECT_NEAR(pld_delta(q, sigma, 1, epsilon), truth, 1e-6);
    EXPECT_GE(pld_delta(q, sigma, 1, epsilon), truth - 1e-12);
  }
}

TEST(Pld, DifferentReleasesComposeAsOne) {
  const std::vector<NoisyReleases> parts{{2.0, 1.0, 1}, {3.0, 1.0, 2}};
  const double together = 1.0 / std::sqrt(1.0 / 4.0 + 2.0 / 9.0);
  EXPECT_NEAR(Pld::of(parts).epsilon(1e-6), gaussian_epsilon(together, 1e-6), 1e-3);
}

TEST(Gaussian, NoiseAndEpsilonUndoEachOther) {
  for (const double epsilon : {.1, 1.0, 4.0, 8.0}) {
    const double noise = gaussian_noise(epsilon, 1e-6);
    EXPECT_NEAR(gaussian_epsilon(noise, 1e-6), epsilon, 1e-9);
    EXPECT_LE(gaussian_delta(noise, epsilon), 1e-6);
    EXPECT_GT(gaussian_delta(noise * .999, epsilon), 1e-6);
  }
  EXPECT_NEAR(gaussian_noise(1.0, 1e-6), 4.224678889, 1e-8);  // SciPy: bisection of the same closed form
}

TEST(Calibrate, NoiseIsEnoughAndNotMuchMore) {
  for (const Accountant accountant : {Accountant::rdp, Accountant::pld})
    for (const double q : {1.0, .05})
      for (const double epsilon : {.5, 4.0}) {
        const auto noise = noise_for({epsilon, 1e-6}, q, 40, accountant);
        ASSERT_TRUE(noise.ok());
        EXPECT_LE(cost_of({*noise, q, 40}, 1e-6, accountant), epsilon);
        EXPECT_GT(cost_of({*noise * .999, q, 40}, 1e-6, accountant), epsilon);
      }
  EXPECT_FALSE(noise_for({1.0, 1e-16}, .05, 40, Accountant::pld).ok()) << "and at once: no search";
  EXPECT_TRUE(std::isinf(cost_of({4.0, .05, 40}, 1e-16, Accountant::pld))) << "RDP's bound does not stand in";
  EXPECT_DOUBLE_EQ(rounded_up(1.234561), 1.2346);
  EXPECT_DOUBLE_EQ(rounded_up(4.0), 4.0);
}

TEST(Fourier, BackwardUndoesForwardAndTheTransformIsTheSum) {
  std::vector<std::complex<double>> values;
  for (int k = 0; k < 16; ++k) values.emplace_back(std::sin(k * 1.3), std::cos(k * k * .2));
  auto turned = values;
  fourier(turned, Direction::forward);
  for (std::size_t f = 0; f < values.size(); ++f) {
    std::complex<double> sum = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k)
      sum += values[k] * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(f * k) / 16.0);
    EXPECT_LT(std::abs(sum - turned[f]), 1e-13);
  }
  fourier(turned, Direction::backward);
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_LT(std::abs(values[k] - turned[k]), 1e-14);
  EXPECT_LT(std::abs(whole_power({.9, .2}, 13) - std::pow(std::complex(.9, .2), 13)), 1e-14);
}

TEST(Budget, ChargesBeforeAndRefusesWhatWouldPassIt) {
  const double noise = *noise_for({2.0, 1e-6}, 1.0, 5, Accountant::rdp);
  PrivacyBudget budget({2.0, 1e-6});
  const BudgetCharge one{.what = "a sum", .releases = {noise, 1.0, 1}};
  double before = 0.0;
  for (int k = 0; k < 5; ++k) {
    EXPECT_TRUE(budget.charge(one).ok()) << k;
    EXPECT_GT(budget.spent(), before);
    before = budget.spent();
  }
  EXPECT_LE(budget.spent(), 2.0);
  const Status refused = budget.charge(one);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("the privacy budget is spent: a sum"), std::string::npos);
  ASSERT_EQ(budget.charges().size(), 1u);
  EXPECT_EQ(budget.charges()[0].releases.times, 5u);
  EXPECT_EQ(budget.spent(), before);
}

TEST(Budget, RefusesChargesThatMakeNoSense) {
  PrivacyBudget budget({2.0, 1e-6});
  EXPECT_FALSE(budget.charge({.what = "x", .releases = {0.0, 1.0, 1}}).ok());
  EXPECT_FALSE(budget.charge({.what = "x", .releases = {10.0, 1.5, 1}}).ok());
  EXPECT_FALSE(budget.charge({.what = "x", .releases = {10.0, 1.0, 0}}).ok());
  EXPECT_FALSE(budget.charge({.what = "x", .by = ChargeBy::epsilon, .releases = {}, .epsilon = -1.0}).ok());
  EXPECT_TRUE(budget.charge({.what = "x", .by = ChargeBy::epsilon, .releases = {}, .epsilon = 0.5}).ok());
  EXPECT_EQ(budget.charges().size(), 1u);
}

}  // namespace sotto::privacy::accountant_test
