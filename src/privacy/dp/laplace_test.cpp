#include "privacy/dp/laplace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "privacy/dp/budget.h"
#include "privacy/dp/pld.h"

namespace sotto::privacy::laplace_test {

NoisyReleases laplace(double noise, double sampling = 1.0, std::uint32_t times = 1) {
  return {noise, sampling, times, NoiseKind::laplace};
}

double rdp_epsilon(const NoisyReleases& releases, double delta) {
  return cost_of(releases, delta, Accountant::rdp);
}

// The mean of f under the law, both by the rule of midpoints; the law has corners at 0 and 1, where cells
// end.
template <class Law, class Function>
double mean_of(double noise, Law law, Function f) {
  double sum = 0.0, whole = 0.0;
  for (const auto& [from, to] :
       {std::pair(-40.0 * noise, 0.0), std::pair(0.0, 1.0), std::pair(1.0, 1.0 + 40.0 * noise)}) {
    const double width = (to - from) / 20'000.0;
    for (int n = 0; n < 20'000; ++n) {
      const double x = from + (n + .5) * width;
      sum += width * law(x) * f(x);
      whole += width * law(x);
    }
  }
  return sum / whole;
}

struct Pair {
  double noise, q;
  [[nodiscard]] double plain(double x) const { return std::exp(-std::abs(x) / noise) / (2.0 * noise); }
  [[nodiscard]] double mixed(double x) const { return (1.0 - q) * plain(x) + q * plain(x - 1.0); }
  // D_α(mixed ‖ plain), and the other way round.
  [[nodiscard]] double removed(double order) const {
    return std::log(mean_of(
               noise, [&](double x) { return plain(x); },
               [&](double x) { return std::pow(mixed(x) / plain(x), order); })) /
           (order - 1.0);
  }
  [[nodiscard]] double added(double order) const {
    return std::log(mean_of(
               noise, [&](double x) { return mixed(x); },
               [&](double x) { return std::pow(plain(x) / mixed(x), order); })) /
           (order - 1.0);
  }
};

TEST(Laplace, RdpIsMironovsClosedForm) {
  for (const double noise : {.3, 1.0, 4.0, 50.0})
    for (const double order : {1.1, 1.5, 2.0, 7.3, 63.0}) {
      const long double a = order, e = 1.0L / noise;
      const long double moment =
          a / (2 * a - 1) * std::exp((a - 1) * e) + (a - 1) / (2 * a - 1) * std::exp(-a * e);
      const auto truth = static_cast<double>(std::log(moment) / (a - 1));
      EXPECT_NEAR(rdp_of(laplace(noise), order), truth, 1e-11 * truth) << noise << " " << order;
    }
}

TEST(Laplace, SampledRdpIsTheIntegralAndRemovingCostsMost) {
  for (const double q : {.001, .05, .5})
    for (const double noise : {.3, 1.0, 5.0})
      for (const double order : {1.1, 2.0, 5.5, 16.0}) {
        const Pair pair{noise, q};
        const double told = rdp_of(laplace(noise, q), order), truth = pair.removed(order);
        EXPECT_NEAR(told, truth, 2e-6 * truth + 2e-9) << q << " " << noise << " " << order;
        EXPECT_GE(told, pair.added(order) - 2e-6 * truth - 2e-9) << q << " " << noise << " " << order;
      }
}

// Simpson's rule on very many cells, in long doubles: the value is not below it, and within rounding.
TEST(Laplace, SampledRdpIsNeverBelowTheIntegral) {
  for (const double q : {.05, .5})
    for (const long double pure : {.365L, .73L, 1.46L, 3.0L})
      for (const double order : {2.5, 7.3, 10.9}) {
        const auto noise = static_cast<double>(1.0L / pure);
        const long double loss = 1.0L / noise, cells = 20'000.0L;
        const auto power = [&](long double at) {
          const long double ratio = q * std::expm1(at);
          return std::expm1(order * std::log1p(ratio)) - order * ratio;
        };
        const auto density = [&](long double v) { return .5L * std::exp(-v) * power(2.0L * v - loss); };
        long double sum = .5L * power(-loss) + .5L * std::exp(-loss) * power(loss);
        const long double width = loss / cells;
        for (long double n = 0.0L; n < cells; n += 1.0L)
          sum += width / 6.0L *
                 (density(n * width) + 4.0L * density((n + .5L) * width) + density((n + 1.0L) * width));
        const auto truth = static_cast<double>(std::log1p(sum) / (order - 1.0L));
        const double told = laplace_rdp(noise, q, order);
        EXPECT_GE(told, truth) << q << " " << noise << " " << order;
        EXPECT_LE(told, truth * (1.0 + 1e-11)) << q << " " << noise << " " << order;
      }
}

// The two ways to a moment meet where an order is almost whole, also where the largest of both is far away.
TEST(Laplace, OrdersBesideAWholeOneAreNearIt) {
  for (const double q : {.001, .3})
    for (const double noise : {.07, .2, 2.0, 300.0})
      for (const double order : {2.0, 9.0, 40.0}) {
        const double whole = laplace_rdp(noise, q, order), beside = laplace_rdp(noise, q, order + 1e-7);
        EXPECT_NEAR(beside, whole, 1e-5 * whole + 1e-13) << q << " " << noise << " " << order;
      }
}

TEST(Laplace, NoDivergenceIsAboveTheEpsilonWithoutDelta) {
  for (const double noise : {.02, .7, 1.0, 40.0}) {
    EXPECT_DOUBLE_EQ(laplace_pure(noise, 1.0), 1.0 / noise);
    EXPECT_NEAR(laplace_pure(noise, .01), std::log(1.0 + .01 * (std::exp(1.0 / noise) - 1.0)), 1e-12);
  }
  for (const double q : {.01, 1.0})
    for (const double noise : {.001, .02, 1.0, 40.0})
      for (const double order : {1.1, 10.9, 63.0, 1024.0}) {
        EXPECT_LE(laplace_rdp(noise, q, order), laplace_pure(noise, q));
        EXPECT_GT(laplace_rdp(noise, q, order), 0.0);
      }
}

TEST(Laplace, ReleasesCostAtMostTheirSumAndManyMuchLess) {
  RdpLedger ledger;
  ledger.add(laplace(4.0, 1.0, 3));
  EXPECT_DOUBLE_EQ(ledger.pure_epsilon(), .75);
  EXPECT_LE(ledger.epsilon(1e-9), .75);
  EXPECT_GT(ledger.epsilon(1e-9), .74) << "a few: the sum is the cost";
  RdpLedger many;
  many.add(laplace(100.0, 1.0, 10'000));
  EXPECT_DOUBLE_EQ(many.pure_epsilon(), 100.0);
  EXPECT_LT(many.epsilon(1e-6), 7.0);
  RdpLedger known_by_epsilon;
  known_by_epsilon.add_pure(.01, 10'000);
  EXPECT_LT(many.epsilon(1e-6), known_by_epsilon.epsilon(1e-6)) << "its law is known, not its epsilon alone";
  many.add({.noise = 10.0, .sampling = 1.0, .times = 1});
  EXPECT_TRUE(std::isinf(many.pure_epsilon())) << "Gaussian noise needs a delta";
  EXPECT_TRUE(std::isfinite(many.epsilon(1e-6)));
}

double pld_delta(const NoisyReleases& releases, double epsilon) {
  return Pld::of({&releases, 1}).delta(epsilon);
}

TEST(LaplacePld, OneReleaseIsItsHockeyStick) {
  for (const double noise : {.4, 1.0, 6.0})
    for (const double q : {.02, .3, 1.0})
      for (const double share : {0.0, .1, .5, .9}) {
        // δ(ε) = 1 − e^{(ε − ε₀)/2}; sampled q times that at the ε before: e^ε′ = 1 + q(e^ε − 1).
        const double pure = 1.0 / noise, before = share * pure;
        const double epsilon = std::log1p(q * std::expm1(before));
        const double truth = q * -std::expm1((before - pure) / 2.0);
        const double told = pld_delta(laplace(noise, q), epsilon);
        EXPECT_GE(told, truth - 1e-12) << noise << " " << q << " " << share;
        EXPECT_NEAR(told, truth, 1e-6) << noise << " " << q << " " << share;
      }
}

// Two releases with ε₁ ≥ ε₂: δ(t) = 1 − e^{−u/2}(1 + u/4) with u = ε₁ + ε₂ − t, for t from ε₁ − ε₂ on.
TEST(LaplacePld, TwoReleasesAreTheirClosedForm) {
  const std::vector<NoisyReleases> both{laplace(1.0), laplace(2.0)};
  const Pld pld = Pld::of(both);
  for (const double t : {.5, .8, 1.2, 1.45}) {
    const double u = 1.5 - t, truth = 1.0 - std::exp(-u / 2.0) * (1.0 + u / 4.0);
    EXPECT_GE(pld.delta(t), truth - 1e-12) << t;
    EXPECT_NEAR(pld.delta(t), truth, 1e-6) << t;
    EXPECT_NEAR(pld_delta(laplace(1.0, 1.0, 2), t),
                1.0 - std::exp(-(2.0 - t) / 2.0) * (1.0 + (2.0 - t) / 4.0), 1e-6);
  }
}

// A loss is ε₀ − 2v, v the positive part of a Laplace variable, as long as v < ε₀: of n of them k are above 0
// by a coin each, and their sum is a gamma variable. Without the bound on v losses are smaller: δ is no
// larger than the truth, and nearly that where e^−ε₀ is nothing.
double delta_of_many(double pure, int times, double epsilon) {
  const double room = (pure * times - epsilon) / 2.0;  // what the v may add up to
  if (room <= 0.0) return 0.0;
  double delta = std::exp2(-times) * -std::expm1(-2.0 * room);  // k = 0
  constexpr int cells = 4000;
  const double width = room / cells;
  for (int k = 1; k <= times; ++k) {
    const double chance = std::lgamma(times + 1.0) - std::lgamma(k + 1.0) - std::lgamma(times - k + 1.0) -
                          times * std::log(2.0) - std::lgamma(k);
    for (int n = 0; n < cells; ++n) {
      const double v = (n + .5) * width;
      delta += width * std::exp(chance + (k - 1) * std::log(v) - v) * -std::expm1(2.0 * (v - room));
    }
  }
  return delta;
}

TEST(LaplacePld, HugeLossesAreTheirClosedForm) {
  for (const auto& [noise, times] : {std::pair(.02, 30), std::pair(.02, 200), std::pair(.1, 100)}) {
    const NoisyReleases releases = laplace(noise, 1.0, static_cast<std::uint32_t>(times));
    const double told = Pld::of({&releases, 1}).epsilon(1e-6), pure = 1.0 / noise;
    EXPECT_GT(told, 745.0);
    EXPECT_LE(told, rdp_epsilon(releases, 1e-6)) << noise << " " << times;
    EXPECT_LE(delta_of_many(pure, times, told), 1e-6 * (1.0 + 1e-4)) << noise << " " << times;
    EXPECT_GT(delta_of_many(pure, times, told - (pure > 20.0 ? .02 : 2.0)), 1e-6) << noise << " " << times;
    EXPECT_EQ(cost_of(releases, 1e-6, Accountant::pld), told);
  }
}

// The mean of one loss is ε₀ − 1 + e^−ε₀.
TEST(LaplacePld, ManyReleasesCostAboutTheirMeanAndNotTheirPlainSum) {
  const NoisyReleases releases = laplace(.5, 1.0, 1000);
  const double told = cost_of(releases, 1e-6, Accountant::pld), mean = 1000.0 * (2.0 - 1.0 + std::exp(-2.0));
  EXPECT_GT(told, mean);
  EXPECT_LE(told, rdp_epsilon(releases, 1e-6));
  EXPECT_LT(told, mean + 6.0 * 2.0 * std::sqrt(1000.0)) << "no loss deviates by more than 2";
}

TEST(LaplacePld, NeverCostsMoreThanRdp) {
  for (const double q : {.01, 1.0})
    for (const double noise : {.5, 3.0, 40.0})
      for (const std::uint32_t times : {1u, 4u, 300u}) {
        const NoisyReleases releases = laplace(noise, q, times);
        EXPECT_LE(cost_of(releases, 1e-6, Accountant::pld), rdp_epsilon(releases, 1e-6))
            << q << " " << noise << " " << times;
        EXPECT_TRUE(std::isinf(cost_of(releases, 1e-14, Accountant::pld)))
            << "nor does the plain sum stand in";
      }
}

TEST(Laplace, NoiseIsEnoughAndNotMuchMore) {
  for (const Accountant accountant : {Accountant::rdp, Accountant::pld})
    for (const double q : {1.0, .05})
      for (const std::uint32_t times : {1u, 40u}) {
        const auto noise = noise_for({2.0, 1e-6}, q, times, accountant, NoiseKind::laplace);
        ASSERT_TRUE(noise.ok());
        EXPECT_LE(cost_of(laplace(*noise, q, times), 1e-6, accountant), 2.0);
        EXPECT_GT(cost_of(laplace(*noise * .998, q, times), 1e-6, accountant), 2.0);
      }
  EXPECT_NEAR(*noise_for({2.0, 1e-6}, 1.0, 1, Accountant::rdp, NoiseKind::laplace), .5, 1e-4);
}

// Noise on whole numbers, value by value: the losses of a change by `moved` units and their chances.
using Losses = std::map<long long, double>;  // in units of 1/scale
Losses losses_of(int moved, double scale) {
  Losses losses;
  const double p = std::exp(-1.0 / scale);
  const int far = 60 * static_cast<int>(scale) + moved;
  for (int x = -far; x <= far + moved; ++x)
    losses[std::abs(x) - std::abs(x - moved)] += (1.0 - p) / (1.0 + p) * std::pow(p, std::abs(x - moved));
  return losses;
}
Losses both_of(const Losses& a, const Losses& b) {
  Losses sums;
  for (const auto& [first, p] : a)
    for (const auto& [second, q] : b) sums[first + second] += p * q;
  return sums;
}
double delta_of(const Losses& losses, double scale, double epsilon) {
  double delta = 0.0;
  for (const auto& [units, p] : losses) {
    const double loss = static_cast<double>(units) / scale;
    if (loss > epsilon) delta += p * -std::expm1(epsilon - loss);
  }
  return delta;
}

TEST(Laplace, WholeNumbersCostNoMoreThanTwoUnitsOfTheClip) {
  const double scale = 6.0;
  bool two_units_are_needed = false;
  for (const std::vector<int>& change : std::vector<std::vector<int>>{{9}, {5, 4}, {3, 3, 3}, {7, 1, 1}}) {
    Losses losses{{0, 1.0}};
    for (const int moved : change) losses = both_of(losses, losses_of(moved, scale));
    for (double epsilon = 0.0; epsilon < 2.0; epsilon += .01) {
      const auto real = [&](double clip) {
        return std::max(-std::expm1((epsilon - clip / scale) / 2.0), 0.0);
      };
      EXPECT_LE(delta_of(losses, scale, epsilon), real(9.0 + 2.0) + 1e-12) << change.size() << " " << epsilon;
      two_units_are_needed |= delta_of(losses, scale, epsilon) > real(9.0) + 1e-6;
    }
  }
  EXPECT_TRUE(two_units_are_needed) << "between its losses the discrete law tells more than the real one";
}

TEST(Laplace, ABudgetIsChargedByItsLawAndRefusesWhenSpent) {
  PrivacyBudget budget({1.0, 1e-6});
  const BudgetCharge one{.what = "a sum", .releases = laplace(4.0)};
  for (int n = 0; n < 4; ++n) EXPECT_TRUE(budget.charge(one).ok()) << n;
  EXPECT_LE(budget.spent(), 1.0);
  EXPECT_DOUBLE_EQ(budget.spent_without_delta(), 1.0);
  EXPECT_FALSE(budget.charge(one).ok());
  EXPECT_EQ(budget.charges().size(), 1u);
  EXPECT_FALSE(budget.charge({.what = "a sum", .releases = {4.0, 1.0, 1}}).ok()) << "Gaussian: far more";
  EXPECT_FALSE(budget.charge({.what = "x", .releases = laplace(0.0)}).ok());
}

TEST(NoiseKind, IsReadAsItIsWritten) {
  for (const NoiseKind kind : {NoiseKind::gaussian, NoiseKind::laplace})
    EXPECT_EQ(*parse_noise_kind(to_string(kind)), kind);
  EXPECT_FALSE(parse_noise_kind("loud").ok());
}

}  // namespace sotto::privacy::laplace_test
