#include "fed/criteria/history_facts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fed/criteria/weighing_collector.h"

namespace sotto::fed::history_facts_test {

// Items 0 to 3; item 0 is had by all three people, item 1 by two, items 2 and 3 by one each.
Histories three_people() {
  return Histories({0, 3, 5, 7}, {ItemIndex{0}, ItemIndex{1}, ItemIndex{2}, ItemIndex{0}, ItemIndex{1},
                                  ItemIndex{0}, ItemIndex{3}});
}

const std::vector<std::string> categories{"Action|Comedy", "Comedy", "", "Drama|Action"};

TEST(HistoryFacts, AreThoseOfAWorkedExample) {
  const HistoryFacts facts(
      three_people(), 4,
      {.classes = ItemClasses(categories), .marked = {1, 0, 0, 1}, .trust = {1.0, 0.5, 0.0}}, nullptr);
  const DeviceFacts first = facts.of({0}), third = facts.of({2});
  EXPECT_EQ(first.records, 3u);
  EXPECT_EQ(first.most_records, 3u) << "the longest";
  EXPECT_EQ(first.of_class, (std::vector<std::uint32_t>{1, 2, 0})) << "Action, Comedy, Drama";
  EXPECT_EQ(third.of_class, (std::vector<std::uint32_t>{2, 1, 1}));
  // Popularity 3/3, 2/3, 1/3, 1/3.
  EXPECT_DOUBLE_EQ(first.rarity, (0.0 + 1.0 / 3.0 + 2.0 / 3.0) / 3.0);
  EXPECT_DOUBLE_EQ(third.rarity, (0.0 + 2.0 / 3.0) / 2.0);
  EXPECT_EQ(first.marked, 1u);
  EXPECT_EQ(third.marked, 2u);
  EXPECT_EQ(facts.of({1}).trust, 0.5);
}

TEST(HistoryFacts, ABoundThatEverybodyKnowsStands) {
  const HistoryFacts facts(three_people(), 4, {.most_records = 100}, nullptr);
  EXPECT_EQ(facts.of({0}).most_records, 100u);
  EXPECT_TRUE(facts.of({0}).of_class.empty());
  EXPECT_EQ(facts.of({0}).trust, 1.0);
}

TEST(HistoryFacts, TheBoundIsTheLongestOfThoseWhoTellSize) {
  ConsentTerms open, keeps;
  keeps.criteria.named["size"] = false;
  const auto bound = [&](std::vector<std::uint16_t> kinds) {
    const auto book = std::make_shared<const ConsentBook>(std::vector{open, keeps}, std::move(kinds));
    return HistoryFacts(three_people(), 4, {}, book).of({0}).most_records;
  };
  EXPECT_EQ(bound({0, 1, 1}), 3u);
  EXPECT_EQ(bound({1, 0, 0}), 2u);
  EXPECT_EQ(bound({1, 1, 1}), 0u) << "nobody tells: there is none";
}

TEST(HistoryFacts, EverybodyTellsWhereNoTermsSayOtherwise) {
  ConsentTerms open, some, none;
  some.criteria.named["novelty"] = false;
  none.criteria.others = false;
  const auto all = [](std::vector<ConsentTerms> kinds) {
    const auto book =
        std::make_shared<const ConsentBook>(std::move(kinds), std::vector<std::uint16_t>{0, 0, 0});
    return HistoryFacts(three_people(), 4, {}, book).everybody_tells();
  };
  EXPECT_TRUE(HistoryFacts(three_people(), 4, {}, nullptr).everybody_tells());
  EXPECT_TRUE(all({open}));
  EXPECT_FALSE(all({open, some}));
  EXPECT_FALSE(all({none}));
}

TEST(HistoryFacts, RoundsSinceCountWhereSomebodyWasAway) {
  HistoryFacts facts(three_people(), 4, {}, nullptr);
  EXPECT_EQ(facts.of({0}).rounds_since, 0u);
  const std::vector<UserIndex> first{{0}, {1}}, second{{1}};
  facts.note_round(0, first);
  facts.note_round(1, second);
  EXPECT_EQ(facts.of({0}).rounds_since, 1u);
  EXPECT_EQ(facts.of({1}).rounds_since, 0u);
  EXPECT_EQ(facts.of({2}).rounds_since, 2u) << "never: all rounds so far";
}

TEST(HistoryFacts, AnItemUnderNeverChangesNoFact) {
  ConsentTerms open, never;
  never.rules = {ItemRule::none, ItemRule::none, ItemRule::never, ItemRule::none};
  const ConsentBook book({open, never}, {1, 0, 0});
  const Histories with = three_people();
  const Histories without(
      {0, 2, 4, 6}, {ItemIndex{0}, ItemIndex{1}, ItemIndex{0}, ItemIndex{1}, ItemIndex{0}, ItemIndex{3}});
  const HistoryFacts kept(book.shareable(with), 4, {}, nullptr), had_not(without, 4, {}, nullptr);
  for (std::uint32_t user = 0; user < 3; ++user) {
    EXPECT_EQ(kept.of({user}).records, had_not.of({user}).records);
    EXPECT_EQ(kept.of({user}).rarity, had_not.of({user}).rarity);
  }
}

// Writes down every byte of what devices send.
class Listener final : public Collector {
 public:
  Listener(SumShape shape, std::vector<std::int64_t>& heard) : sum_(shape), heard_(heard) {}
  [[nodiscard]] Status begin(const RoundPlace& place) override { return sum_.begin(place); }
  [[nodiscard]] Status accept(UserIndex user, Contribution& contribution) override {
    heard_.push_back(user.value);
    for (std::size_t n = 0; n < contribution.size(); ++n) {
      heard_.push_back(contribution.row(n));
      for (std::size_t k = 0; k < contribution.width(); ++k) heard_.push_back(contribution.values(n)[k]);
    }
    return sum_.accept(user, contribution);
  }
  [[nodiscard]] Result<Traffic> finish(Aggregator& total) override { return sum_.finish(total); }

 private:
  PlainCollector sum_;
  std::vector<std::int64_t>& heard_;
};

// Everything that leaves in a round where the first of four keeps their size back.
std::vector<std::int64_t> heard_with(std::uint32_t hidden, const char* order, std::uint64_t bound = 64) {
  CriteriaTerms keeps{.others = true, .named = {{"size", false}}};
  ConsentTerms open, reserved;
  reserved.criteria = keeps;
  auto book = std::make_shared<const ConsentBook>(std::vector<ConsentTerms>{open, reserved},
                                                  std::vector<std::uint16_t>{1, 0, 0, 0});
  std::vector<ItemIndex> items;
  std::vector<std::uint64_t> ends{0};
  for (const std::uint32_t length : {hidden, 4u, 9u, 6u}) {
    for (std::uint32_t n = 0; n < length; ++n) items.push_back({n});
    ends.push_back(items.size());
  }
  const HistoryFacts facts(Histories(ends, items), 64, {.most_records = bound}, book);
  std::vector<std::int64_t> heard;
  const SumShape shape{4, 2};
  Listener end(shape, heard);
  WeighingCollector weighing(
      {.order = parse_order(order).value()}, facts, {},
      [&](SumShape small) { return std::make_unique<Listener>(small, heard); }, end);
  const std::vector<UserIndex> cohort{{0}, {1}, {2}, {3}};
  EXPECT_TRUE(weighing.begin({0, cohort, nullptr}).ok());
  for (const UserIndex user : cohort) {
    Contribution contribution(2);
    ContributionPipeline pipeline(ConsentGate({.pi = 1.0}, 1, 0, user), {}, contribution);
    pipeline.open(Evidence::positive, user.value)[0] = 1000;
    EXPECT_TRUE(weighing.accept(user, contribution).ok());
  }
  SumSpace space(shape.rows, shape.width);
  Aggregator total(space);
  EXPECT_TRUE(weighing.finish(total).ok());
  return heard;
}

RC_GTEST_PROP(HistoryFactsProperty, WhatIsKeptBackChangesNoByteThatLeaves, ()) {
  const auto one = *rc::gen::inRange<std::uint32_t>(1, 60), other = *rc::gen::inRange<std::uint32_t>(1, 60);
  for (const std::uint64_t bound : {64u, 0u})
    RC_ASSERT(heard_with(one, "size>trust", bound) == heard_with(other, "size>trust", bound));
}

TEST(HistoryFacts, WhatIsToldDoesLeave) {
  EXPECT_NE(heard_with(3, "novelty>size"), heard_with(50, "novelty>size")) << "the history shows in novelty";
}

}  // namespace sotto::fed::history_facts_test
