#include "privacy/secure/sum_terms.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>

#include "privacy/secure/tails.h"

namespace sotto::privacy::sum_terms_test {

// By going through every way to draw.
double drawn_above(const Draw& draw, std::uint32_t count) {
  std::uint64_t ways = 0, above = 0;
  for (std::uint32_t chosen = 0; chosen < 1u << draw.all; ++chosen) {
    if (std::popcount(chosen) != static_cast<int>(draw.drawn)) continue;
    ++ways;
    const std::uint32_t marked = chosen & ((1u << draw.marked) - 1);
    above += std::popcount(marked) > static_cast<int>(count) ? 1 : 0;
  }
  return static_cast<double>(above) / static_cast<double>(ways);
}

// The same by the formula: the chance that more than `count` of the drawn are marked.
double above(const Draw& draw, std::uint32_t count) {
  const auto log_choose = [](double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  };
  const std::uint32_t others = draw.all - draw.marked;
  double sum = 0.0;
  for (std::uint32_t n = std::min(draw.marked, draw.drawn); n > count && draw.drawn - n <= others; --n)
    sum += std::exp(log_choose(draw.marked, n) + log_choose(others, draw.drawn - n) -
                    log_choose(draw.all, draw.drawn));
  return sum;
}

TEST(DrawTails, AreThoseOfCountingAllDraws) {
  const DrawTails tails(12);
  for (std::uint32_t all = 1; all <= 10; ++all)
    for (std::uint32_t marked = 0; marked <= all; ++marked)
      for (std::uint32_t drawn = 0; drawn <= all; ++drawn) {
        const Draw draw{all, marked, drawn};
        for (std::uint32_t count = 0; count <= drawn; ++count)
          ASSERT_NEAR(above(draw, count), drawn_above(draw, count), 1e-12);
        for (const double failure : {0.3003, 0.03003}) {  // no draw has just this chance
          std::uint32_t most = 0;
          while (drawn_above(draw, most) > failure) ++most;
          ASSERT_EQ(tails.most(draw, failure), most);
        }
        ASSERT_NEAR(tails.all_marked(draw), drawn == 0 ? 1.0 : drawn_above(draw, drawn - 1), 1e-12);
      }
}

TEST(DrawTails, TheMostIsTheFirstThatIsPassedRarelyEnough) {
  const DrawTails tails(400);
  for (const double failure : {0.5, 1e-3, 1e-9, 1e-15})
    for (const std::uint32_t drawn : {1u, 20u, 150u, 400u}) {
      const Draw draw{400, 120, drawn};
      const std::uint32_t most = tails.most(draw, failure);
      EXPECT_LE(above(draw, most), failure * (1 + 1e-9));
      if (most > 0) {
        EXPECT_GT(above(draw, most - 1), failure * (1 - 1e-9));
      }
    }
}

// The conditions as the header states them, looked at one by one.
struct Conditions {
  SumTerms terms;
  SumAssumptions assumed;
  std::uint32_t corrupt = static_cast<std::uint32_t>(assumed.corrupt * terms.devices);
  std::uint32_t dropped = static_cast<std::uint32_t>(assumed.dropped * terms.devices);

  [[nodiscard]] double too_many_corrupt() const {  // a device whose crowd is smaller than said
    return terms.devices *
           above({terms.devices - 1, corrupt, terms.degree}, terms.threshold + 1 - terms.crowd);
  }
  [[nodiscard]] double too_many_dropped() const {
    return terms.devices * above({terms.devices - 1, dropped, terms.degree}, terms.degree - terms.threshold);
  }
  [[nodiscard]] double two_certificates() const {  // 2 · quorum ≤ committee + corrupt
    return above({terms.devices, corrupt, terms.committee}, 2 * terms.quorum - terms.committee - 1);
  }
  [[nodiscard]] double no_certificate() const {
    return above({terms.devices, dropped, terms.committee}, terms.committee - terms.quorum);
  }
};

TEST(SumTerms, HoldWhatTheyPromise) {
  for (const std::uint32_t devices : {20u, 50u, 100u, 500u, 1000u, 10000u})
    for (const double corrupt : {0.0, 0.05, 0.2})
      for (const double dropped : {0.0, 0.1, 0.3}) {
        const SumAssumptions assumed{.corrupt = corrupt, .dropped = dropped, .crowd = 3};
        const Conditions at{sum_terms(devices, assumed).value(), assumed};
        EXPECT_LE(at.too_many_corrupt(), assumed.leak / 3 * (1 + 1e-9));
        EXPECT_LE(at.too_many_dropped(), assumed.abort / 2 * (1 + 1e-9));
        EXPECT_LE(at.two_certificates(), assumed.leak / 3 * (1 + 1e-9));
        EXPECT_LE(at.no_certificate(), assumed.abort / 2 * (1 + 1e-9));
        EXPECT_GE(at.terms.crowd, assumed.crowd);
        EXPECT_EQ(at.terms.least_survivors, devices - at.dropped);
      }
}

// Nothing smaller does: the degree below has no threshold that keeps both promises.
TEST(SumTerms, TheDegreeIsTheSmallest) {
  const SumAssumptions assumed;
  const SumTerms terms = sum_terms(1000, assumed).value();
  ASSERT_GT(terms.degree, 2u);
  const std::uint32_t degree = terms.degree - 2;
  for (std::uint32_t threshold = 1; threshold <= degree; ++threshold) {
    const bool comes_back = 1000 * above({999, 300, degree}, degree - threshold) <= assumed.abort / 2;
    const bool stays_hidden =
        threshold + 1 >= assumed.crowd &&
        1000 * above({999, 50, degree}, threshold + 1 - assumed.crowd) <= assumed.leak / 3;
    EXPECT_FALSE(comes_back && stays_hidden) << threshold;
  }
}

TEST(SumTerms, GrowSlowlyWithTheCohort) {
  const SumTerms thousand = sum_terms(1000, {}).value(), many = sum_terms(100000, {}).value();
  EXPECT_LT(many.degree, 2 * thousand.degree);
  EXPECT_GE(many.degree, thousand.degree);
}

RC_GTEST_PROP(SumTermsLaw, WorseAssumptionsNeverAskForLess, ()) {
  const auto devices = *rc::gen::inRange<std::uint32_t>(60, 600);
  SumAssumptions mild{.corrupt = 0.02, .dropped = 0.1, .crowd = 4}, worse = mild;
  worse.corrupt += *rc::gen::inRange(0, 8) * 0.01;
  worse.dropped += *rc::gen::inRange(0, 15) * 0.01;
  const SumTerms a = sum_terms(devices, mild).value(), b = sum_terms(devices, worse).value();
  RC_ASSERT(b.degree >= a.degree);
  RC_ASSERT(b.committee >= a.committee);
}

TEST(SumTerms, WhatCannotHoldIsRefused) {
  EXPECT_FALSE(sum_terms(5, {}).ok());  // fewer than the crowd
  EXPECT_FALSE(sum_terms(most_sum_devices + 1, {}).ok());
  EXPECT_FALSE(sum_terms(100, {.corrupt = 0.5, .dropped = 0.5}).ok());   // nobody left
  EXPECT_FALSE(sum_terms(100, {.corrupt = 0.4, .dropped = 0.35}).ok());  // no quorum intersects
  EXPECT_FALSE(sum_terms(100, {.corrupt = -0.1}).ok());
  EXPECT_FALSE(sum_terms(100, {.dropped = std::nan("")}).ok());
  EXPECT_FALSE(sum_terms(100, {.leak = 0.0}).ok());
  EXPECT_FALSE(sum_terms(100, {.crowd = 1}).ok());
}

}  // namespace sotto::privacy::sum_terms_test
