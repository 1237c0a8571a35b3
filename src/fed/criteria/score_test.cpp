#include "fed/criteria/score.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "fed/criteria/criterion.h"

namespace sotto::fed::score_test {

std::vector<double> drawn(std::size_t count) {
  std::vector<double> values;
  for (const int n : *rc::gen::container<std::vector<int>>(count, rc::gen::inRange(0, 1001)))
    values.push_back(n / 1000.0);
  return values;
}

std::size_t drawn_size() { return static_cast<std::size_t>(*rc::gen::inRange(1, 6)); }

// Thesis, examples 5.1 and 5.2.
const std::vector<double> alice{0.9, 0.2, 0.4}, bob{0.1, 0.8, 0.5};  // DS, CD, IS

TEST(Score, ThesisExamples) {
  const ScoreOptions by_mean{.kind = ScoreKind::mean};
  const double both = score(by_mean, alice) + score(by_mean, bob);
  EXPECT_NEAR(score(by_mean, alice) / both, 1.5 / 2.9, 1e-12);  // 0.52
  EXPECT_NEAR(score(by_mean, bob) / both, 1.4 / 2.9, 1e-12);    // 0.48
  EXPECT_NEAR(score({}, alice), 1.152, 1e-12);
  EXPECT_NEAR(score({}, bob), 0.22, 1e-12);
  const std::vector<double> alice_back(alice.rbegin(), alice.rend()), bob_back(bob.rbegin(), bob.rend());
  EXPECT_NEAR(score({}, alice_back), 0.552, 1e-12);
  EXPECT_NEAR(score({}, bob_back), 0.94, 1e-12);
}

RC_GTEST_PROP(Score, PrioritizedIsMonotone, ()) {
  std::vector<double> values = drawn(drawn_size());
  const double before = score({}, values);
  const std::size_t place = *rc::gen::inRange<std::size_t>(0, values.size());
  values[place] = std::min(1.0, values[place] + *rc::gen::inRange(0, 1001) / 1000.0);
  RC_ASSERT(score({}, values) >= before);
}

RC_GTEST_PROP(Score, PrioritizedGoesFromZeroToTheNumberOfCriteria, ()) {
  const std::size_t criteria = drawn_size();
  RC_ASSERT(score({}, std::vector<double>(criteria, 0.0)) == 0.0);
  RC_ASSERT(score({}, std::vector<double>(criteria, 1.0)) == static_cast<double>(criteria));
}

RC_GTEST_PROP(Score, AZeroCutsOffAllBelowIt, ()) {
  std::vector<double> values = drawn(drawn_size());
  const std::size_t place = *rc::gen::inRange<std::size_t>(0, values.size());
  values[place] = 0.0;
  RC_ASSERT(score({}, values) == score({}, std::span(values).first(place)));
}

RC_GTEST_PROP(Score, PrioritizedIsItsFormula, ()) {
  const std::vector<double> values = drawn(drawn_size());
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double product = 1.0;
    for (std::size_t j = 0; j <= i; ++j) product *= values[j];
    sum += product;
  }
  RC_ASSERT(std::abs(score({}, values) - sum) < 1e-12);
}

RC_GTEST_PROP(Score, OwaHasTheLargestTheLeastAndTheMean, ()) {
  const std::vector<double> values = drawn(drawn_size());
  std::vector<double> first(values.size(), 0.0), last(values.size(), 0.0);
  first.front() = 1.0, last.back() = 1.0;
  RC_ASSERT(score({ScoreKind::owa, first}, values) == std::ranges::max(values));
  RC_ASSERT(score({ScoreKind::owa, last}, values) == std::ranges::min(values));
  RC_ASSERT(std::abs(score({ScoreKind::owa, {}}, values) - score({ScoreKind::mean, {}}, values)) < 1e-12);
}

// The integral the slow way: over the levels between neighbouring values.
double slow_choquet(const std::vector<double>& capacity, const std::vector<double>& values) {
  std::vector<double> levels = values;
  levels.push_back(0.0);
  std::ranges::sort(levels);
  double sum = 0.0;
  for (std::size_t k = 1; k < levels.size(); ++k) {
    std::size_t reach = 0;
    for (std::size_t n = 0; n < values.size(); ++n)
      if (values[n] >= levels[k]) reach += std::size_t{1} << n;
    sum += (levels[k] - levels[k - 1]) * capacity[reach];
  }
  return sum;
}

RC_GTEST_PROP(Score, ChoquetIsTheIntegral, ()) {
  const std::vector<double> values = drawn(3);
  // Any numbers on the single criteria, made monotone.
  std::vector<double> capacity = drawn(8);
  capacity[0] = 0.0;
  for (std::size_t set = 1; set < 8; ++set)
    for (std::size_t n = 0; n < 3; ++n)
      if ((set >> n & 1) != 0)
        capacity[set] = std::max(capacity[set], capacity[set & ~(std::size_t{1} << n)]);
  capacity[7] += 0.001;
  RC_ASSERT(check({ScoreKind::choquet, capacity}, 3).ok());
  RC_ASSERT(std::abs(score({ScoreKind::choquet, capacity}, values) - slow_choquet(capacity, values)) < 1e-12);
}

RC_GTEST_PROP(Score, ChoquetOfAnAdditiveCapacityIsTheMean, ()) {
  const std::vector<double> values = drawn(3), weights = drawn(3);
  std::vector<double> capacity(8, 0.0);
  for (std::size_t set = 0; set < 8; ++set)
    for (std::size_t n = 0; n < 3; ++n) capacity[set] += (set >> n & 1) != 0 ? weights[n] : 0.0;
  RC_ASSERT(std::abs(score({ScoreKind::choquet, capacity}, values) -
                     score({ScoreKind::mean, weights}, values)) < 1e-12);
}

TEST(Score, WhatCannotBeIsRefused) {
  const auto says = [](const Status& status, const char* words) {
    return !status.ok() && status.error().message.find(words) != std::string::npos;
  };
  EXPECT_TRUE(says(check(ScoreOptions{ScoreKind::prioritized, {1.0}}, 1), "has no weights"));
  EXPECT_TRUE(says(check(ScoreOptions{ScoreKind::mean, {1.0}}, 2), "1 weights for 2 criteria"));
  EXPECT_TRUE(says(check(ScoreOptions{ScoreKind::owa, {0.0, 0.0}}, 2), "nobody would count"));
  EXPECT_TRUE(says(check(ScoreOptions{ScoreKind::mean, {-1.0, 1.0}}, 2), "from 0"));
  EXPECT_TRUE(says(check(ScoreOptions{ScoreKind::choquet, {0.0, 1.0}}, 2), "needs 4 numbers"));
  EXPECT_TRUE(says(check(ScoreOptions{ScoreKind::choquet, {}}, 2), "0,0.5,0.3,1"));
  EXPECT_TRUE(check(ScoreOptions{ScoreKind::choquet, {0.0, 0.5, 0.3, 1.0}}, 2).ok());
  EXPECT_TRUE(says(check(ScoreOptions{ScoreKind::choquet, {0.5, 1.0, 1.0, 1.0}}, 2), "must be 0"));
  EXPECT_TRUE(says(check(ScoreOptions{ScoreKind::choquet, {0.0, 1.0, 0.2, 0.5}}, 2), "must not fall"));
  EXPECT_TRUE(says(check(ScoreOptions{ScoreKind::choquet, {0.0, 0.0, 0.0, 0.0}}, 2), "nobody would count"));
  EXPECT_FALSE(parse_score_kind("best").ok());
  EXPECT_EQ(parse_score_kind("owa").value(), ScoreKind::owa);
}

TEST(Criterion, OrdersAreReadByEitherName) {
  const CriteriaOrder order = parse_order("DS > ld>closeness").value();
  EXPECT_EQ(to_string(order), "size>diversity>closeness");
  EXPECT_EQ(permutations(order).size(), 6u);
  std::vector<std::string> all;
  for (const CriteriaOrder& one : permutations(order)) all.push_back(to_string(one));
  EXPECT_EQ(all.front(), "size>diversity>closeness");
  EXPECT_EQ(all.back(), "closeness>diversity>size");
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
  const auto unknown = parse_order("DS>sharp");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("'sharp' is no criterion: there are size (DS)"), std::string::npos);
  EXPECT_NE(parse_order("DS>size").error().message.find("twice"), std::string::npos);
  for (const char* text : {"", "DS>", ">DS", "DS> >LD"})
    EXPECT_NE(parse_order(text).error().message.find("an empty name"), std::string::npos) << text;
  EXPECT_NE(parse_order("LD,DS").error().message.find("separate criteria with >"), std::string::npos);
  const Criterion one = parse_criterion("DS").value();
  EXPECT_TRUE(parse_order("XX", std::span(&one, 1)).error().message.ends_with("there are size (DS)"));
  EXPECT_TRUE(parse_order("LD", std::span(&one, 1)).ok()) << "who offers less says why it is refused";
}

TEST(Criterion, IsMeasuredAsItsFormulaSays) {
  DeviceFacts facts;
  facts.records = 30, facts.most_records = 40, facts.of_class = {10, 20, 0, 0}, facts.marked = 12;
  facts.rarity = 0.25, facts.rounds_since = 9, facts.trust = 0.5, facts.distance = 3.0,
  facts.layer_distance = 8.0;
  const auto value = [&](const char* name) { return measured(parse_criterion(name).value(), facts).value(); };
  EXPECT_DOUBLE_EQ(value("DS"), 0.75);
  EXPECT_DOUBLE_EQ(value("LD"), 0.5);
  EXPECT_DOUBLE_EQ(value("CB"), 0.0);
  EXPECT_DOUBLE_EQ(value("IS"), 0.4);
  EXPECT_DOUBLE_EQ(value("MW"), 0.5);
  EXPECT_DOUBLE_EQ(value("MWL"), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(value("novelty"), 0.25);
  EXPECT_DOUBLE_EQ(value("recency"), 0.5);
  EXPECT_DOUBLE_EQ(value("trust"), 0.5);
  facts.of_class = {10, 20}, facts.records = 100;
  EXPECT_DOUBLE_EQ(value("CB"), 0.5);
  EXPECT_DOUBLE_EQ(value("DS"), 1.0);
}

TEST(Criterion, OutsideOfItsRangeItIsRefused) {
  DeviceFacts facts;
  for (const double trust : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    facts.trust = trust;
    const auto value = measured(parse_criterion("trust").value(), facts);
    ASSERT_FALSE(value.ok());
    EXPECT_NE(value.error().message.find("trust"), std::string::npos);
  }
}

}  // namespace sotto::fed::score_test
