#include "privacy/dp/choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/rng.h"
#include "privacy/dp/budget.h"
#include "privacy/dp/pld.h"

namespace sotto::privacy::choice_test {

constexpr Purpose test_purpose{69};
using Law = std::vector<double>;

NoisyReleases choice(double epsilon, std::uint32_t times = 1) {
  return {1.0 / epsilon, 1.0, times, NoiseKind::choice};
}

// P(k) ∝ e^(ε · score_k), as it is written.
Law law_of(double epsilon, const std::vector<double>& scores) {
  Law law;
  double sum = 0.0;
  for (const double score : scores) law.push_back(std::exp(epsilon * score)), sum += law.back();
  for (double& chance : law) chance /= sum;
  return law;
}

double renyi(const Law& p, const Law& q, double order) {
  double moment = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) moment += std::pow(p[k] / q[k], order) * q[k];
  return std::log(moment) / (order - 1.0);
}

double hockey_stick(const Law& p, const Law& q, double epsilon) {
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) sum += std::max(p[k] - std::exp(epsilon) * q[k], 0.0);
  return sum;
}

struct Neighbours {
  Law with, without;
};

// Scores of some people, and of one more, who raises each by 0 to 1: whole votes, or anything between.
Neighbours neighbours_of(double epsilon, Stream& bits) {
  const std::size_t candidates = 2 + bits.below(5);
  const bool whole = bits.chance(.5);
  std::vector<double> without, with;
  for (std::size_t k = 0; k < candidates; ++k) {
    without.push_back(static_cast<double>(bits.below(12)) / epsilon / 3.0);
    const double raise = static_cast<double>(bits.below(1001)) / 1000.0;
    with.push_back(without.back() + (whole ? std::round(raise) : raise));
  }
  return {law_of(epsilon, with), law_of(epsilon, without)};
}

// The law of two losses, t and t − ε, that everything of bounded range is a mixture of.
Neighbours two_losses(double epsilon, double t) {
  const double q = (std::exp(-t) - std::exp(-epsilon)) / -std::expm1(-epsilon), p = std::exp(t) * q;
  return {{p, 1.0 - p}, {q, 1.0 - q}};
}

// The largest δ at s of all two losses, in closed form.
double worst_delta(double epsilon, double s) {
  return std::pow(-std::expm1((s - epsilon) / 2.0), 2.0) / -std::expm1(-epsilon);
}

// Of Gaussian noise at any s (Balle and Wang 2018).
double noisy_delta(double noise, double s) {
  const auto below = [](double x) { return .5 * std::erfc(-x / std::numbers::sqrt2); };
  return below(.5 / noise - s * noise) - std::exp(s) * below(-.5 / noise - s * noise);
}

TEST(Choice, NoLossPassesEpsilonAndNoTwoAreFurtherApart) {
  Stream bits(1, test_purpose);
  for (int n = 0; n < 2000; ++n) {
    const double epsilon = .05 * static_cast<double>(1 + bits.below(60));
    const Neighbours laws = neighbours_of(epsilon, bits);
    double least = 1e9, most = -1e9;
    for (std::size_t k = 0; k < laws.with.size(); ++k) {
      const double loss = std::log(laws.with[k] / laws.without[k]);
      least = std::min(least, loss), most = std::max(most, loss);
    }
    EXPECT_LE(most - least, epsilon + 1e-9);
    EXPECT_LE(most, epsilon + 1e-9);
    EXPECT_GE(least, -epsilon - 1e-9);
  }
}

TEST(Choice, RdpIsNeverBelowTheTruthAndNearTheWorst) {
  Stream bits(2, test_purpose);
  for (int n = 0; n < 2000; ++n) {
    const double epsilon = .05 * static_cast<double>(1 + bits.below(60));
    const Neighbours laws = neighbours_of(epsilon, bits);
    for (const double order : {1.1, 2.0, 5.5, 16.0, 64.0}) {
      const double told = rdp_of(choice(epsilon), order);
      EXPECT_LE(renyi(laws.with, laws.without, order), told + 1e-9) << epsilon << " " << order;
      EXPECT_LE(renyi(laws.without, laws.with, order), told + 1e-9) << epsilon << " " << order;
    }
  }
  for (const double epsilon : {.05, .5, 3.0})
    for (const double order : {1.1, 2.0, 16.0}) {
      double worst = 0.0;
      for (int n = 1; n < 1000; ++n) {
        const Neighbours laws = two_losses(epsilon, epsilon * n / 1000.0);
        worst = std::max({worst, renyi(laws.with, laws.without, order)});
      }
      const double told = rdp_of(choice(epsilon), order);
      EXPECT_LE(worst, told + 1e-12) << epsilon << " " << order;
      if (epsilon * order < 1.0) {
        EXPECT_GT(worst, .97 * told) << "a bound that gives little away";
      }
    }
}

TEST(Choice, CostsLessThanAnyReleaseOfItsEpsilon) {
  RdpLedger chosen, pure;
  chosen.add(choice(.1, 400));
  pure.add_pure(.1, 400);
  EXPECT_DOUBLE_EQ(chosen.pure_epsilon(), pure.pure_epsilon());
  EXPECT_LT(chosen.epsilon(1e-6), .6 * pure.epsilon(1e-6));
  RdpLedger one;
  one.add(choice(.1));
  EXPECT_LE(one.epsilon(1e-9), .1 + 1e-12);
}

TEST(Choice, PldIsTheWorstOfTwoLossesAndNeverBelowATruth) {
  Stream bits(3, test_purpose);
  for (const double epsilon : {.05, .4, 1.0, 4.0}) {
    const NoisyReleases one = choice(epsilon);
    const Pld pld = Pld::of({&one, 1});
    for (const double share : {0.0, .3, .7, .95}) {
      const double at = share * epsilon;
      double worst = 0.0;
      for (int n = 1; n < 2000; ++n) {
        const Neighbours laws = two_losses(epsilon, epsilon * n / 2000.0);
        worst = std::max(worst, hockey_stick(laws.with, laws.without, at));
      }
      const double closed = worst_delta(epsilon, at);
      EXPECT_NEAR(worst, closed, 1e-6) << epsilon << " " << share;
      EXPECT_GE(pld.delta(at), closed - 1e-11) << epsilon << " " << share;
      EXPECT_LE(pld.delta(at), worst_delta(epsilon, at - epsilon / 30.0) + 1e-10) << "a cell of the grid";
    }
    for (int n = 0; n < 200; ++n) {
      const Neighbours laws = neighbours_of(epsilon, bits);
      for (const double at : {-.5 * epsilon, 0.0, .3 * epsilon, .9 * epsilon}) {
        EXPECT_LE(hockey_stick(laws.with, laws.without, at), pld.delta(at) + 1e-11);
        EXPECT_LE(hockey_stick(laws.without, laws.with, at), pld.delta(at) + 1e-11);
      }
    }
  }
}

// All pairs of answers of two choices, one of which may depend on the other's.
TEST(Choice, TwoChoicesAndAGaussianCostNoLessThanWhatTheyTell) {
  Stream bits(4, test_purpose);
  const std::vector<NoisyReleases> two{choice(.6, 2)}, beside{choice(.6), {2.0, 1.0, 1}};
  const Pld both = Pld::of(two), mixed = Pld::of(beside);
  for (int n = 0; n < 200; ++n) {
    const Neighbours first = neighbours_of(.6, bits);
    Law with, without;
    for (std::size_t k = 0; k < first.with.size(); ++k) {
      const Neighbours second = neighbours_of(.6, bits);
      for (std::size_t j = 0; j < second.with.size(); ++j) {
        with.push_back(first.with[k] * second.with[j]);
        without.push_back(first.without[k] * second.without[j]);
      }
    }
    for (const double at : {0.0, .4, 1.0}) {
      EXPECT_LE(hockey_stick(with, without, at), both.delta(at) + 1e-11);
      EXPECT_LE(hockey_stick(without, with, at), both.delta(at) + 1e-11);
      // δ(s) of both is the mean of the Gaussian's δ(s − loss) over the choice's losses.
      double told = 0.0;
      for (std::size_t k = 0; k < first.with.size(); ++k)
        told += first.with[k] * noisy_delta(2.0, at - std::log(first.with[k] / first.without[k]));
      EXPECT_LE(told, mixed.delta(at) + 1e-11);
    }
  }
  EXPECT_LE(cost_of(beside, 1e-6, Accountant::pld), cost_of(beside, 1e-6, Accountant::rdp));
  EXPECT_EQ(cost_of(choice(.1, 40), 1e-6, Accountant::pld), cost_of(choice(.1, 40), 1e-6, Accountant::rdp));
  EXPECT_LT(cost_of(choice(.1), 1e-6, Accountant::pld), cost_of(choice(.1), 1e-6, Accountant::rdp));
}

TEST(Choice, NoiseBesideAChoiceIsWhatIsLeftOfTheGoal) {
  const PrivacyGoal goal{2.0, 1e-6};
  for (const NoiseKind kind : {NoiseKind::gaussian, NoiseKind::laplace}) {
    const NoisyReleases chosen = choice(.5);
    const double alone = noise_for(goal, 1.0, 1, Accountant::rdp, kind).value();
    const double noise = noise_for(goal, 1.0, 1, Accountant::rdp, kind, {&chosen, 1}).value();
    EXPECT_GT(noise, alone);
    RdpLedger ledger;
    ledger.add(chosen);
    ledger.add({noise, 1.0, 1, kind});
    EXPECT_LE(ledger.epsilon(1e-6), 2.0);
    EXPECT_GT(ledger.epsilon(1e-6), 1.999) << "and no more noise than that";
  }
  const NoisyReleases greedy = choice(3.0);
  EXPECT_FALSE(noise_for(goal, 1.0, 1, Accountant::rdp, NoiseKind::gaussian, {&greedy, 1}).ok());
}

TEST(Choice, IsMadeByEverybody) {
  EXPECT_TRUE(check(choice(1.0)).ok());
  NoisyReleases sampled = choice(1.0);
  sampled.sampling = .5;
  EXPECT_FALSE(check(sampled).ok());
}

}  // namespace sotto::privacy::choice_test
