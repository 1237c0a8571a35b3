#include "sim/pair_round.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/rng.h"
#include "fed/item_set_message.h"
#include "model/central/ease.h"
#include "model/central/testing/small_worlds.h"
#include "privacy/pair_contribution.h"
#include "sim/private_gram.h"
#include "sim/thread_pool.h"

namespace sotto::sim::pair_round_test {

std::vector<std::uint64_t> flat(const PairSum& sum) {
  std::vector<std::uint64_t> all;
  PairRow row;
  for (std::uint32_t item = 0; item < sum.items(); ++item) {
    sum.row(item, row);
    all.insert(all.end(), row.items.begin(), row.items.end());
    all.insert(all.end(), row.sums.begin(), row.sums.end());
  }
  return all;
}

std::vector<float> scores_of(const Recommender& model, std::uint32_t user) {
  std::vector<float> out(model.catalogue());
  const UserIndex index{user};
  model.score(std::span(&index, 1), {0, static_cast<std::uint32_t>(out.size())}, out);
  return out;
}

TEST(PairRound, FederatedEaseIsCentralEaseToTheLastFloat) {
  const Histories train = histories_of(planted_rows(500, 180, 4, 15));
  SerialExecutor serial;
  const auto central = Ease::fit(train, 180, {.lambda = 10.0f}, serial).value();
  for (const std::size_t threads : {1u, 3u})
    for (const Path path : {Path::fast, Path::wire}) {
      ThreadPool pool(threads);
      const PairRound round = gather_pairs(train, 180, Plan{}, PersonWeight(), pool, path).value();
      const auto federated = Ease::solve(round.sum, train, {.lambda = 10.0f}, pool).value();
      for (std::uint32_t user = 0; user < train.users(); ++user)
        ASSERT_EQ(scores_of(*federated, user), scores_of(*central, user));
    }
}

TEST(PairRound, ThreadsAndTheWireChangeNothing) {
  const Histories train = histories_of(planted_rows(200, 9000, 4, 15));  // too many items for a triangle
  Plan plan;
  plan.consent = {0.5, MaskKind::redraw};
  SerialExecutor serial;
  ThreadPool pool(3);
  const PairRound a = gather_pairs(train, 9000, plan, PersonWeight(0.5f), serial).value();
  const PairRound b = gather_pairs(train, 9000, plan, PersonWeight(0.5f), pool, Path::wire).value();
  EXPECT_EQ(flat(a.sum), flat(b.sum));
  EXPECT_EQ(a.report.bytes_up, b.report.bytes_up);
  EXPECT_EQ(a.report.exchanges, 200u);
  EXPECT_EQ(b.report.rounds, 1u);
}

TEST(PairRound, WhatConsentWithholdsIsInNoPair) {
  const Histories train = histories_of(planted_rows(100, 60, 4, 15));
  Plan plan;
  plan.consent = {0.5, MaskKind::sticky};
  plan.seed = 3;
  SerialExecutor serial;
  const PairRound round = gather_pairs(train, 60, plan, PersonWeight(), serial).value();
  std::vector<std::uint32_t> given(60, 0);
  for (std::uint32_t user = 0; user < train.users(); ++user) {
    ConsentGate gate(plan.consent, plan.seed, 0, UserIndex{user});
    for (const ItemIndex item : train.of(UserIndex{user}))
      given[item.value] += gate.allows(Evidence::positive, item.value) ? 1 : 0;
  }
  EXPECT_EQ(std::vector(round.sum.popularity().begin(), round.sum.popularity().end()), given);
  plan.consent.pi = 0.0;
  const PairRound nothing = gather_pairs(train, 60, plan, PersonWeight(), serial).value();
  EXPECT_TRUE(flat(nothing.sum).empty());
  EXPECT_EQ(nothing.report.bytes_up, 100 * encoded_item_set_bytes(ItemSet()));
}

// The newest ⌈0.3·n⌉ of a history enter, by an obvious sort, whichever way the pairs are summed.
TEST(PairRound, AShareOfTheHistoryIsAllThatEnters) {
  constexpr std::uint32_t people = 60, catalogue = 40;
  std::vector<std::uint64_t> offsets{0};
  std::vector<ItemIndex> items;
  std::vector<std::uint16_t> ages;
  std::vector<std::uint32_t> expected(catalogue, 0), all(catalogue, 0);
  Stream draws(7, Purpose::random_scores);
  for (std::uint32_t user = 0; user < people; ++user) {
    std::vector<std::uint32_t> newest_first;
    for (std::uint32_t item = 0; item < catalogue; ++item)
      if (draws.below(3) == 0) newest_first.push_back(item);
    for (std::size_t n = newest_first.size(); n > 1; --n)
      std::swap(newest_first[n - 1], newest_first[draws.below(static_cast<std::uint32_t>(n))]);
    const std::size_t kept = user % 2 == 0 ? newest_first.size() : (3 * newest_first.size() + 9) / 10;
    std::map<std::uint32_t, std::uint16_t> age_of;
    for (std::size_t n = 0; n < newest_first.size(); ++n) {
      age_of[newest_first[n]] = static_cast<std::uint16_t>(n);
      ++all[newest_first[n]];
      if (n < kept) ++expected[newest_first[n]];
    }
    for (const auto& [item, age] : age_of) items.push_back({item}), ages.push_back(age);
    offsets.push_back(items.size());
  }
  const Histories train(offsets, items, ages);
  std::vector<ConsentTerms> kinds(2);
  kinds[1].contexts.history = 0.3f;
  std::vector<std::uint16_t> kind_of;
  for (std::uint32_t user = 0; user < people; ++user) kind_of.push_back(user % 2);
  Plan plan;
  plan.consent.people = std::make_shared<ConsentBook>(std::move(kinds), std::move(kind_of));
  SerialExecutor serial;
  const PairRound round = gather_pairs(train, catalogue, plan, PersonWeight(), serial).value();
  EXPECT_EQ(std::vector(round.sum.popularity().begin(), round.sum.popularity().end()), expected);
  EXPECT_NE(expected, all);
  const PairLayout layout(catalogue);
  PlainCollector collector({layout.rows(), PairLayout::width});
  const CollectedNumbers totals = collect_pairs(train, catalogue, plan, PersonWeight(), collector).value();
  EXPECT_TRUE(std::ranges::equal(std::span(totals.sums).subspan(layout.popularity(0), catalogue), expected));
  PlainCollector numbers({rows_for(catalogue), numbers_a_row});
  const CollectedNumbers counts = collect_popularity(train, catalogue, plan, numbers).value();
  for (std::uint32_t item = 0; item < catalogue; ++item)
    EXPECT_EQ(counts.sums[item], std::int64_t{expected[item]} * pair_unit) << item;
}

TEST(PairRound, WhatIsTakenBackWasNeverThere) {
  const Plan plan;
  SerialExecutor serial;
  for (const std::uint32_t items : {50u, 9000u}) {  // a triangle, and only the pairs that occur
    Rows rows = planted_rows(40, items, 4, 12);
    for (const float power : {0.0f, 0.5f}) {
      PairSum sum = gather_pairs(histories_of(rows), items, plan, PersonWeight(power), serial).value().sum;
      std::vector<std::uint32_t> theirs = rows[11];
      std::sort(theirs.begin(), theirs.end());
      sum.subtract(theirs, PersonWeight(power).of(theirs.size()));
      Rows others = rows;
      others[11].clear();
      const PairRound without =
          gather_pairs(histories_of(others), items, plan, PersonWeight(power), serial).value();
      EXPECT_EQ(flat(sum), flat(without.sum));
      EXPECT_EQ(sum.people(), without.sum.people());
      EXPECT_TRUE(std::ranges::equal(sum.popularity(), without.sum.popularity()));
    }
  }
}

// The popular items and their pairs by obvious counting of what the gate lets out.
TEST(PairRound, PairsOfPopularItemsAreThoseOfPeopleWhoHaveNoOthers) {
  constexpr std::uint32_t catalogue = 60, most = 17;
  const Histories train = histories_of(planted_rows(150, catalogue, 4, 15));
  Plan plan;
  plan.consent = {0.6, MaskKind::redraw};
  Rows given(train.users());
  std::vector<std::pair<int, std::uint32_t>> counts;  // fewest first
  for (std::uint32_t item = 0; item < catalogue; ++item) counts.emplace_back(0, item);
  for (std::uint32_t user = 0; user < train.users(); ++user) {
    ConsentGate gate(plan.consent, plan.seed, 0, UserIndex{user});
    for (const ItemIndex item : train.of(UserIndex{user}))
      if (gate.allows(Evidence::positive, item.value))
        given[user].push_back(item.value), --counts[item.value].first;
  }
  std::ranges::sort(counts);
  std::set<std::uint32_t> popular;
  for (std::size_t n = 0; n < most; ++n) popular.insert(counts[n].second);

  PlainCollector first({rows_for(catalogue), numbers_a_row});
  const CollectedNumbers people = collect_popularity(train, catalogue, plan, first, 1).value();
  const KeptItems kept = KeptItems::most_popular(people.sums, most);
  EXPECT_TRUE(std::ranges::equal(kept.items(), popular));
  for (const float power : {0.0f, 0.5f}) {
    const PersonWeight weight(power);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> expected;
    std::uint64_t count = 0;
    for (auto& items : given) {
      std::vector<std::uint32_t> own;
      std::ranges::copy_if(items, std::back_inserter(own), [&](auto item) { return popular.count(item); });
      count += own.empty() ? 0 : 1;
      for (const std::uint32_t a : own)
        for (const std::uint32_t b : own) expected[{a, b}] += weight.of(own.size());
    }
    const PairLayout layout(most);
    PlainCollector second({layout.rows(), PairLayout::width});
    const CollectedNumbers totals = collect_kept_pairs(train, kept, plan, weight, second).value();
    const PairSum sum =
        counted_pairs(layout, totals.sums, weight).value().renumbered(kept.items(), catalogue);
    EXPECT_EQ(sum.people(), count);
    EXPECT_EQ(sum.unit(), weight.unit());
    PairRow row;
    std::size_t found = 0;
    for (std::uint32_t item = 0; item < catalogue; ++item) {
      sum.row(item, row);
      for (std::size_t k = 0; k < row.items.size(); ++k, ++found)
        EXPECT_EQ(row.sums[k], (expected[{item, row.items[k]}])) << item << ' ' << row.items[k];
      EXPECT_EQ(sum.popularity()[item], popular.count(item) ? people.sums[item] : 0);
    }
    EXPECT_EQ(found, expected.size());
  }
}

TEST(PairRound, ACollectorGetsTheSamePairs) {
  const Histories train = histories_of(planted_rows(120, 50, 4, 15));
  Plan plan;
  plan.consent = {0.5, MaskKind::redraw};
  SerialExecutor serial;
  for (const float power : {0.0f, 0.5f}) {
    const PairRound plain = gather_pairs(train, 50, plan, PersonWeight(power), serial).value();
    const PairLayout layout(50);
    PlainCollector collector({layout.rows(), PairLayout::width});
    CollectedNumbers totals = collect_pairs(train, 50, plan, PersonWeight(power), collector).value();
    EXPECT_EQ(totals.report.exchanges, 120u);
    EXPECT_GT(totals.report.bytes_up, 0u);
    const PairSum sum = counted_pairs(layout, totals.sums, PersonWeight(power)).value();
    EXPECT_EQ(flat(sum), flat(plain.sum));
    EXPECT_EQ(sum.people(), plain.sum.people());
    EXPECT_EQ(sum.unit(), plain.sum.unit());
    EXPECT_TRUE(std::equal(sum.popularity().begin(), sum.popularity().end(), plain.sum.popularity().begin()));
    totals.sums[7] = -1;
    EXPECT_FALSE(counted_pairs(layout, totals.sums, PersonWeight(power)).ok());
  }
}

}  // namespace sotto::sim::pair_round_test
