#include "privacy/consent.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace sotto::privacy::consent_test {

TEST(Consent, PiOutsideItsRangeIsRefusedWithARemedy) {
  for (const double pi : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    const Status status = check(ConsentPolicy{.pi = pi});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, Code::usage);
    EXPECT_NE(status.error().message.find("from 0"), std::string::npos);
  }
  EXPECT_TRUE(check(ConsentPolicy{.pi = 0.0}).ok());
  EXPECT_TRUE(check(ConsentPolicy{.pi = 1.0}).ok());
}

TEST(Consent, MaskNamesReadAndWrite) {
  EXPECT_EQ(parse_mask("redraw").value(), MaskKind::redraw);
  EXPECT_EQ(parse_mask("round").value(), MaskKind::round);
  EXPECT_EQ(parse_mask(to_string(MaskKind::sticky)).value(), MaskKind::sticky);
  EXPECT_FALSE(parse_mask("glued").ok());
}

TEST(Consent, NegativesAlwaysLeave) {
  ConsentGate gate({.pi = 0.0, .mask = MaskKind::redraw}, 1, 0, UserIndex{3});
  for (std::uint32_t item = 0; item < 100; ++item) EXPECT_TRUE(gate.allows(Evidence::negative, item));
}

TEST(Consent, PiZeroLetsNoPositiveOutAndPiOneAll) {
  for (const MaskKind mask : {MaskKind::redraw, MaskKind::round, MaskKind::sticky}) {
    ConsentGate closed({.pi = 0.0, .mask = mask}, 1, 0, UserIndex{3});
    ConsentGate open({.pi = 1.0, .mask = mask}, 1, 0, UserIndex{3});
    for (std::uint32_t item = 0; item < 1000; ++item) {
      EXPECT_FALSE(closed.allows(Evidence::positive, item));
      EXPECT_TRUE(open.allows(Evidence::positive, item));
    }
  }
}

std::set<std::uint32_t> disclosed(const ConsentPolicy& policy, std::uint32_t rounds) {
  std::set<std::uint32_t> items;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    ConsentGate gate(policy, 7, round, UserIndex{5});
    for (std::uint32_t item = 0; item < 2000; ++item)
      if (gate.allows(Evidence::positive, item)) items.insert(item);
  }
  return items;
}

TEST(Consent, StickyDisclosesTheSameItemsEachRoundAndTheOthersAddUp) {
  const ConsentPolicy sticky{.pi = 0.1, .mask = MaskKind::sticky};
  EXPECT_EQ(disclosed(sticky, 1), disclosed(sticky, 30));
  EXPECT_NEAR(static_cast<double>(disclosed(sticky, 30).size()), 200.0, 45.0);
  // 1 − 0.9^30 = .958 of the items have been out at least once.
  for (const MaskKind mask : {MaskKind::redraw, MaskKind::round})
    EXPECT_NEAR(static_cast<double>(disclosed({.pi = 0.1, .mask = mask}, 30).size()),
                2000.0 * (1.0 - std::pow(0.9, 30)), 45.0);
}

// Eq. 4.8 and 4.9 of the thesis: however often an item is drawn in a round, it is out in π of the rounds,
// where a draw at each update lets it out in 1 − (1 − π)^m of those with m.
TEST(Consent, ADecisionOfARoundHoldsForEveryUpdateInIt) {
  constexpr int rounds = 4000, updates = 5;
  for (const MaskKind mask : {MaskKind::redraw, MaskKind::round}) {
    int out = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      ConsentGate gate({.pi = 0.1, .mask = mask}, 7, round, UserIndex{5});
      int times = 0;
      for (int n = 0; n < updates; ++n) {
        times += gate.allows(Evidence::positive, 17) ? 1 : 0;
        static_cast<void>(gate.allows(Evidence::positive, 18));
      }
      if (mask == MaskKind::round) {
        EXPECT_TRUE(times == 0 || times == updates);
      }
      out += times > 0 ? 1 : 0;
    }
    EXPECT_NEAR(out / double{rounds}, mask == MaskKind::round ? 0.1 : 1.0 - std::pow(0.9, updates), 0.02);
  }
}

RC_GTEST_PROP(ConsentLaw, WhatIsAllowedAtSomePiIsAllowedAtALargerOne,
              (std::uint64_t seed, std::uint32_t item, std::uint32_t user)) {
  const double low = *rc::gen::inRange(0, 1000) / 1000.0;
  const double high = low + (1.0 - low) * (*rc::gen::inRange(0, 1000) / 1000.0);
  const MaskKind mask = *rc::gen::element(MaskKind::round, MaskKind::sticky);
  ConsentGate narrow({.pi = low, .mask = mask}, seed, 3, UserIndex{user});
  ConsentGate wide({.pi = high, .mask = mask}, seed, mask == MaskKind::round ? 3 : 99, UserIndex{user});
  if (narrow.allows(Evidence::positive, item)) RC_ASSERT(wide.allows(Evidence::positive, item));
}

TEST(Consent, ManyAnswersAtOnceAreTheGates) {
  std::vector<VisitPlace> visits;
  for (std::uint32_t n = 0; n < 21; ++n) visits.push_back({n / 3, UserIndex{n * 7 % 11}});
  for (const std::size_t each : {1u, 2u, 5u, 40u}) {
    std::vector<Pair> pairs;
    for (std::uint32_t n = 0; n < visits.size() * each; ++n)
      pairs.push_back({ItemIndex{n * n % 13}, ItemIndex{n}});
    for (const MaskKind mask : {MaskKind::redraw, MaskKind::round, MaskKind::sticky}) {
      for (const double pi : {0.0, 0.3, 0.5, 1.0}) {
        const ConsentPolicy policy{pi, mask};
        ConsentAnswers answers(pairs.size());
        allow_positives(policy, 5, visits, pairs, answers);
        for (std::size_t v = 0; v < visits.size(); ++v) {
          ConsentGate gate(policy, 5, visits[v].round, visits[v].user);
          for (std::size_t n = v * each; n < (v + 1) * each; ++n)
            EXPECT_EQ(answers.allows(n), gate.allows(Evidence::positive, pairs[n].positive.value))
                << each << ' ' << pi << ' ' << to_string(mask);
        }
      }
    }
  }
}

}  // namespace sotto::privacy::consent_test
