#include "sim/candidate_votes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "data/contexts.h"
#include "data/generate.h"

namespace sotto::sim::candidate_votes_test {

// A world with a validation part; the same with or without one person's items.
Split world() {
  const Dataset data =
      generate_world({.users = 60, .items = 80, .mean_interactions = 14.0, .seed = 3}).value();
  return split_dataset(data, {.validation_share = .3}).value();
}

// Scores of its own for everybody: an item is as good as its number says, times something of the person's
// history, so that what is in that decides the order.
class MadeUp final : public Recommender {
 public:
  MadeUp(const Histories& histories, std::size_t catalogue, std::uint32_t turn)
      : histories_(histories), catalogue_(catalogue), turn_(turn) {}
  [[nodiscard]] std::size_t catalogue() const override { return catalogue_; }
  void score(std::span<const UserIndex> users, ItemRange items, std::span<float> out) const override {
    for (std::size_t u = 0; u < users.size(); ++u)
      for (std::uint32_t item = items.begin; item < items.end; ++item)
        out[u * items.size() + (item - items.begin)] = one(users[u], item);
  }
  void score_history(std::span<const ItemIndex>, std::span<float>) const override { ADD_FAILURE(); }
  [[nodiscard]] Status similar(ItemIndex, std::span<float>) const override {
    return fail(Code::usage, "it knows no items");
  }
  [[nodiscard]] float one(UserIndex user, std::uint32_t item) const {
    std::uint32_t mixed = turn_;
    for (const ItemIndex own : histories_.of(user)) mixed = mixed * 31 + own.value;
    return static_cast<float>((item * 2654435761u ^ mixed * 40503u) % 9973u);
  }

 private:
  const Histories& histories_;
  std::size_t catalogue_;
  std::uint32_t turn_;
};

// Sorted by hand: how many of the ten best are to be found.
int found(const MadeUp& model, const Histories& train, const Histories& kept, UserIndex user,
          std::size_t catalogue) {
  std::vector<std::pair<float, std::uint32_t>> all;
  for (std::uint32_t item = 0; item < catalogue; ++item)
    if (!train.contains(user, ItemIndex{item})) all.emplace_back(-model.one(user, item), item);
  std::sort(all.begin(), all.end());
  int hits = 0;
  for (std::size_t n = 0; n < std::min<std::size_t>(10, all.size()); ++n)
    if (kept.contains(user, ItemIndex{all[n].second})) ++hits;
  return std::min(hits, int{most_votes});
}

std::vector<std::int64_t> votes_of(const Split& split, const Plan& plan, std::uint64_t* people = nullptr) {
  SerialExecutor serial;
  CandidateVotes votes(split, plan);
  for (const std::uint32_t turn : {1u, 2u, 3u})
    EXPECT_TRUE(votes.judge(MadeUp(votes.train(), split.catalogue, turn), serial).ok());
  PlainCollector plain({1, numbers_a_row});
  const auto sums = votes.collect(2, plain);
  EXPECT_TRUE(sums.ok());
  if (people != nullptr) *people = sums->report.exchanges;
  return sums->sums;
}

TEST(CandidateVotes, AreHowManyOfTheTenBestWereKept) {
  const Split split = world();
  std::uint64_t people = 0;
  const auto votes = votes_of(split, {}, &people);
  EXPECT_EQ(people, 60u);
  ASSERT_EQ(votes.size(), 3u);
  for (std::uint32_t turn = 1; turn <= 3; ++turn) {
    const MadeUp model(split.train, split.catalogue, turn);
    std::int64_t expected = 0;
    for (std::uint32_t user = 0; user < 60; ++user)
      expected += found(model, split.train, split.validation, UserIndex{user}, split.catalogue);
    EXPECT_EQ(votes[turn - 1], expected) << turn;
    EXPECT_GT(expected, 0) << "there is something to tell";
  }
}

Plan with_terms(std::vector<ConsentTerms> kinds, std::vector<std::uint16_t> kind_of) {
  Plan plan;
  plan.consent.people = std::make_shared<ConsentBook>(std::move(kinds), std::move(kind_of));
  return plan;
}

TEST(CandidateVotes, WhoIsClosedSaysNothing) {
  const Split split = world();
  std::vector<std::uint16_t> halves(60, 0);
  for (std::size_t user = 0; user < 60; user += 2) halves[user] = 1;
  std::uint64_t people = 0;
  const auto votes = votes_of(split, with_terms({{}, {.takes_part = false}}, halves), &people);
  EXPECT_EQ(people, 30u);
  for (std::uint32_t turn = 1; turn <= 3; ++turn) {
    const MadeUp model(split.train, split.catalogue, turn);
    std::int64_t expected = 0;
    for (std::uint32_t user = 1; user < 60; user += 2)
      expected += found(model, split.train, split.validation, UserIndex{user}, split.catalogue);
    EXPECT_EQ(votes[turn - 1], expected) << turn;
  }
}

// The histories without these items.
Histories without(const Histories& part, const std::vector<ItemRule>& rules) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t user = 0; user < part.users(); ++user) {
    for (const ItemIndex item : part.of(UserIndex{user}))
      if (item.value >= rules.size() || rules[item.value] != ItemRule::never) items.push_back(item);
    offsets.push_back(items.size());
  }
  return {std::move(offsets), std::move(items)};
}

TEST(CandidateVotes, WhatIsKeptBackIsAsIfItWereNotThere) {
  const Split split = world();
  std::vector<ItemRule> rules(split.catalogue, ItemRule::none);
  for (std::size_t item = 0; item < rules.size(); item += 3) rules[item] = ItemRule::never;
  Split had_not = split;
  had_not.train = without(split.train, rules);
  had_not.validation = without(split.validation, rules);
  const auto ruled = votes_of(split, with_terms({{.rules = rules}}, std::vector<std::uint16_t>(60, 0)));
  EXPECT_EQ(ruled, votes_of(had_not, {}));
  EXPECT_NE(ruled, votes_of(split, {}));
  Plan nothing;
  nothing.consent.pi = 0.0;
  EXPECT_EQ(votes_of(split, nothing), (std::vector<std::int64_t>{0, 0, 0}));
}

// What a person lets out of a part: the newest 40% (rounded up) of what has an order in time, by a draw that
// stays of what has none; and of that each item, in the catalogue's order, by one toss of the person's.
Histories tossed(const Histories& part, std::size_t catalogue, std::uint64_t seed) {
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  for (std::uint32_t n = 0; n < part.users(); ++n) {
    const UserIndex user{n};
    const auto all = part.of(user);
    const auto ages = part.ages_of(user);
    Stream tosses(seed, Purpose::redraw_consent, 0, n);
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k].value >= catalogue) continue;
      bool in = carries(0, user, all[k], whole_record, .4f);
      if (part.has_ages()) {
        std::size_t before = 0;
        for (std::size_t j = 0; j < all.size(); ++j)
          before += ages[j] < ages[k] || (ages[j] == ages[k] && j < k) ? 1 : 0;
        in = 10 * before < 4 * all.size();  // before < .4·n
      }
      if (in && tosses.chance(.5)) items.push_back(all[k]);
    }
    offsets.push_back(items.size());
  }
  return {std::move(offsets), std::move(items)};
}

TEST(CandidateVotes, LookAtAShareOfTheHistoryAndOfThatAtWhatTheTossesLetOut) {
  const Split split = world();
  ASSERT_TRUE(split.train.has_ages());
  ConsentTerms terms{.pi = .5, .mask = MaskKind::redraw};
  terms.contexts.history = .4f;
  Plan plan = with_terms({terms}, std::vector<std::uint16_t>(60, 0));
  plan.seed = 11;
  Split let_out = split;
  let_out.train = tossed(split.train, split.catalogue, plan.seed);
  let_out.validation = tossed(split.validation, split.catalogue, plan.seed);
  ASSERT_GT(let_out.validation.interactions(), 0u);
  const CandidateVotes votes(split, plan);
  for (std::uint32_t n = 0; n < 60; ++n) {
    EXPECT_TRUE(std::ranges::equal(votes.train().of(UserIndex{n}), let_out.train.of(UserIndex{n}))) << n;
    EXPECT_TRUE(std::ranges::equal(votes.judged().of(UserIndex{n}), let_out.validation.of(UserIndex{n})))
        << n;
  }
  const auto told = votes_of(split, plan);
  std::int64_t sum = 0;
  for (std::uint32_t turn = 1; turn <= 3; ++turn) {
    const MadeUp model(let_out.train, split.catalogue, turn);
    std::int64_t expected = 0;
    for (std::uint32_t user = 0; user < 60; ++user)
      expected += found(model, let_out.train, let_out.validation, UserIndex{user}, split.catalogue);
    EXPECT_EQ(told[turn - 1], expected) << turn;
    sum += expected;
  }
  EXPECT_GT(sum, 0) << "there is something to tell";
}

TEST(CandidateVotes, AgesAreReckonedAmongWhatIsLetOut) {
  const Split split = world();
  ASSERT_TRUE(split.train.has_ages());
  std::vector<ItemRule> rules(split.catalogue, ItemRule::none);
  for (std::size_t item = 0; item < rules.size(); item += 3) rules[item] = ItemRule::never;
  const CandidateVotes votes(split, with_terms({{.rules = rules}}, std::vector<std::uint16_t>(60, 0)));
  ASSERT_TRUE(votes.train().has_ages());
  for (std::uint32_t n = 0; n < 60; ++n) {
    const UserIndex user{n};
    const auto items = votes.train().of(user);
    const auto ages = votes.train().ages_of(user);
    for (std::size_t k = 0; k < items.size(); ++k) {
      int newer = 0;  // of the others that are let out
      const auto age_of = [&](ItemIndex item) {
        const auto all = split.train.of(user);
        return split.train.ages_of(
            user)[static_cast<std::size_t>(std::find(all.begin(), all.end(), item) - all.begin())];
      };
      for (const ItemIndex other : items) newer += age_of(other) < age_of(items[k]) ? 1 : 0;
      EXPECT_EQ(ages[k], newer);
    }
  }
}

}  // namespace sotto::sim::candidate_votes_test
