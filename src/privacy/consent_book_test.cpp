#include "privacy/consent_book.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "privacy/consent.h"

namespace sotto::privacy::consent_book_test {

constexpr std::uint32_t catalogue = 40;

// Rules for a third of the items each, by remainder: none, always, never.
std::vector<ItemRule> rules_by_thirds() {
  std::vector<ItemRule> rules;
  for (std::uint32_t item = 0; item < catalogue; ++item) rules.push_back(static_cast<ItemRule>(item % 3));
  return rules;
}

ConsentPolicy with_people() {
  std::vector<ConsentTerms> kinds(3);
  kinds[0] = {.pi = 0.4, .mask = MaskKind::redraw, .rules = rules_by_thirds()};
  kinds[1] = {.pi = 0.4, .mask = MaskKind::sticky, .rules = {}};
  kinds[2] = {.pi = 1.0, .takes_part = false, .rules = rules_by_thirds()};
  ConsentPolicy policy{.pi = 1.0};
  policy.people = std::make_shared<ConsentBook>(std::move(kinds), std::vector<std::uint16_t>{0, 1, 2, 0});
  return policy;
}

TEST(ConsentBook, ARuleGoesBeforePi) {
  const ConsentPolicy policy = with_people();
  bool drawn[2] = {false, false};
  for (std::uint32_t round = 0; round < 20; ++round) {
    ConsentGate gate(policy, 9, round, UserIndex{3});
    for (std::uint32_t item = 0; item < catalogue; ++item) {
      const bool allowed = gate.allows(Evidence::positive, item);
      if (item % 3 == 0) drawn[allowed ? 1 : 0] = true;
      const bool as_ruled = item % 3 == 0 || allowed == (item % 3 == 1);
      EXPECT_TRUE(as_ruled);
      EXPECT_TRUE(gate.allows(Evidence::negative, item));
    }
  }
  EXPECT_TRUE(drawn[0] && drawn[1]);
}

TEST(ConsentBook, WhoTakesNoPartSendsNothingWhateverTheRules) {
  const ConsentPolicy policy = with_people();
  EXPECT_FALSE(takes_part(policy, UserIndex{2}));
  EXPECT_TRUE(takes_part(policy, UserIndex{1}));
  ConsentGate gate(policy, 9, 0, UserIndex{2});
  for (std::uint32_t item = 0; item < catalogue; ++item)
    for (const Evidence evidence : {Evidence::positive, Evidence::negative})
      EXPECT_FALSE(gate.allows(evidence, item));
}

TEST(ConsentBook, WithoutRulesAPersonsTermsAreThePlansOfTheSameNumbers) {
  const ConsentPolicy people = with_people(), plan{.pi = 0.4, .mask = MaskKind::sticky};
  ConsentGate own(people, 9, 4, UserIndex{1}), usual(plan, 9, 4, UserIndex{1});
  for (std::uint32_t item = 0; item < catalogue; ++item)
    EXPECT_EQ(own.allows(Evidence::positive, item), usual.allows(Evidence::positive, item));
}

TEST(ConsentBook, ManyAnswersAtOnceAreTheGates) {
  const ConsentPolicy policy = with_people();
  const std::vector<VisitPlace> visits{{7, UserIndex{0}}, {7, UserIndex{1}}, {8, UserIndex{3}}};
  std::vector<Pair> pairs;
  for (std::uint32_t n = 0; n < 30; ++n) pairs.push_back({ItemIndex{n * 7 % catalogue}, ItemIndex{n}});
  ConsentAnswers answers(pairs.size());
  allow_positives(policy, 5, visits, pairs, answers);
  for (std::size_t v = 0; v < visits.size(); ++v) {
    ConsentGate gate(policy, 5, visits[v].round, visits[v].user);
    for (std::size_t n = v * 10; n < (v + 1) * 10; ++n)
      EXPECT_EQ(answers.allows(n), gate.allows(Evidence::positive, pairs[n].positive.value));
  }
}

TEST(ConsentBook, HistoriesAreSharedAsTheyAreWhereNobodyHasTermsOfTheirOwn) {
  const Histories histories({0, 2, 3}, {ItemIndex{1}, ItemIndex{5}, ItemIndex{2}});
  EXPECT_EQ(shareable(ConsentPolicy{.pi = 0.2}, histories).items().data(), histories.items().data());
}

RC_GTEST_PROP(ConsentBookLaw, ShareableHistoriesAreThoseWithoutWhatIsForbidden, ()) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t user = 0; user < 4; ++user) {
    for (std::uint32_t item = 0; item < catalogue; ++item)
      if (*rc::gen::inRange(0, 3) == 0) items.push_back({item});
    offsets.push_back(items.size());
  }
  const Histories all(std::move(offsets), std::move(items));
  const Histories kept = shareable(with_people(), all);
  RC_ASSERT(kept.users() == 4u);
  for (std::uint32_t user = 0; user < 4; ++user) {
    std::vector<ItemIndex> expected;
    for (const ItemIndex item : all.of({user}))
      if (user == 1 || (user != 2 && item.value % 3 != 2)) expected.push_back(item);
    const auto found = kept.of({user});
    RC_ASSERT(std::vector(found.begin(), found.end()) == expected);
  }
}

ConsentBook with_history(float share, std::vector<ItemRule> rules = {}) {
  ConsentTerms terms{.rules = std::move(rules), .contexts = {.history = share}};
  return ConsentBook({std::move(terms)}, {0}, 5);
}

std::vector<std::uint32_t> kept(const ConsentBook& book, const Histories& histories) {
  std::vector<std::uint32_t> items;
  const Histories shared = book.shareable(histories);
  for (const ItemIndex item : shared.of(UserIndex{0})) items.push_back(item.value);
  return items;
}

TEST(ConsentBook, OfAHistoryTheNewestShareIsLetIn) {
  // From the newest: 30, 7, 12, 2, 21.
  const Histories histories({0, 5}, {{2}, {7}, {12}, {21}, {30}}, {3, 1, 2, 4, 0});
  using Items = std::vector<std::uint32_t>;
  EXPECT_EQ(kept(with_history(0.0f), histories), Items{});
  EXPECT_EQ(kept(with_history(0.01f), histories), Items{30});
  EXPECT_EQ(kept(with_history(0.2f), histories), Items{30});
  EXPECT_EQ(kept(with_history(0.4f), histories), (Items{7, 30}));
  EXPECT_EQ(kept(with_history(0.41f), histories), (Items{7, 12, 30}));
  EXPECT_EQ(kept(with_history(0.8f), histories), (Items{2, 7, 12, 30}));
  EXPECT_EQ(kept(with_history(1.0f), histories), (Items{2, 7, 12, 21, 30}));
}

TEST(ConsentBook, WhatARuleKeepsBackIsNotCountedInTheShare) {
  std::vector<ItemRule> rules(catalogue, ItemRule::none);
  rules[30] = ItemRule::never;
  const Histories with({0, 5}, {{2}, {7}, {12}, {21}, {30}}, {3, 1, 2, 4, 0});
  const Histories without({0, 4}, {{2}, {7}, {12}, {21}}, {2, 0, 1, 3});
  for (const float share : {0.1f, 0.25f, 0.5f, 0.6f, 0.75f, 1.0f})
    EXPECT_EQ(kept(with_history(share, rules), with), kept(with_history(share, rules), without)) << share;
}

TEST(ConsentBook, WithoutTimesASharesItemsAreDrawnOnceAndGrowWithIt) {
  std::vector<ItemIndex> items;
  for (std::uint32_t item = 0; item < 400; ++item) items.push_back({item});
  const Histories histories({0, 400}, items);
  const auto few = kept(with_history(0.3f), histories), many = kept(with_history(0.6f), histories);
  EXPECT_EQ(few, kept(with_history(0.3f), histories));
  EXPECT_TRUE(std::ranges::includes(many, few));
  EXPECT_NEAR(static_cast<double>(few.size()), 120.0, 50.0);
  EXPECT_NEAR(static_cast<double>(many.size()), 240.0, 50.0);
  // On their own device the person draws as in the federation.
  const ConsentBook own(ConsentTerms{.contexts = {.history = 0.3f}}, 5, UserIndex{0});
  EXPECT_EQ(kept(own, histories), few);
  const ConsentBook other(ConsentTerms{.contexts = {.history = 0.3f}}, 5, UserIndex{1});
  EXPECT_NE(kept(other, histories), few);
}

TEST(ConsentBook, ABookWithoutSomebodyIsTheSameForTheOthers) {
  const ConsentPolicy policy = with_people();
  const ConsentBook without = policy.people->without(UserIndex{0});
  EXPECT_FALSE(without.of(UserIndex{0}).takes_part);
  EXPECT_TRUE(policy.people->of(UserIndex{0}).takes_part);
  EXPECT_EQ(without.of(UserIndex{3}).rules, policy.people->of(UserIndex{3}).rules);
}

}  // namespace sotto::privacy::consent_book_test
