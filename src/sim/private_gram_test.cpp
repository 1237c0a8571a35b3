#include "sim/private_gram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/pair_sum.h"

namespace sotto::sim::private_gram_test {

// Ann has 0, 2 (newest) and 3; Bob 2 and 3 (newest); Cy nothing.
Histories people() {
  return Histories({0, 3, 5, 5}, {ItemIndex{0}, ItemIndex{2}, ItemIndex{3}, ItemIndex{2}, ItemIndex{3}},
                   {2, 0, 1, 1, 0});
}

TEST(PrivateGram, ThroughAPlainSumIsTheCountsThemselves) {
  PlainCollector plain({rows_for(4), numbers_a_row});
  const auto popularity = collect_popularity(people(), 4, {}, plain);
  ASSERT_TRUE(popularity.ok());
  EXPECT_EQ(popularity->sums, (std::vector<std::int64_t>{pair_unit, 0, 2 * pair_unit, 2 * pair_unit}));
  EXPECT_EQ(popularity->report.exchanges, 3u);
  EXPECT_GT(popularity->report.bytes_up, 0u);
  EXPECT_EQ(KeptItems::most_popular(popularity->sums, 2).items(), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(KeptItems::most_popular(popularity->sums, 3).items(), (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(KeptItems::most_popular(popularity->sums, 9).items().size(), 4u);

  const KeptItems kept({0, 2, 3}, 4);
  PlainCollector pairs({rows_for(triangle_size(3)), numbers_a_row});
  const auto all = collect_weighted_pairs(people(), kept, 0.0f, {}, pairs);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->sums, (std::vector<std::int64_t>{pair_unit, pair_unit, 2 * pair_unit, pair_unit,
                                                  2 * pair_unit, 2 * pair_unit}));
}

TEST(PrivateGram, NewerItemsCountMore) {
  const KeptItems kept({2, 3}, 4);
  PlainCollector pairs({rows_for(triangle_size(2)), numbers_a_row});
  const auto sums = collect_weighted_pairs(people(), kept, 1.0f, {}, pairs);  // halves with each place
  ASSERT_TRUE(sums.ok());
  const double expected[] = {1.0 + .25, .5 + .5, .25 + 1.0};
  for (std::size_t n = 0; n < 3; ++n)
    EXPECT_NEAR(static_cast<double>(sums->sums[n]) / pair_unit, expected[n], 1e-4) << n;
}

TEST(PrivateGram, AForbiddenItemDoesNotMakeOthersOlder) {
  // Nobody shares item 2, Ann's newest: the sums are those of people who do not have it.
  const Histories without({0, 2, 3, 3}, {ItemIndex{0}, ItemIndex{3}, ItemIndex{3}}, {1, 0, 0});
  Plan ruled;
  ruled.consent.people = std::make_shared<ConsentBook>(
      std::vector<ConsentTerms>{{.rules = {ItemRule::none, ItemRule::none, ItemRule::never, ItemRule::none}}},
      std::vector<std::uint16_t>(3, 0));
  const KeptItems kept({0, 2, 3}, 4);
  const auto sums = [&](const Histories& histories, const Plan& plan) {
    PlainCollector pairs({rows_for(triangle_size(3)), numbers_a_row});
    return collect_weighted_pairs(histories, kept, 1.0f, plan, pairs).value().sums;
  };
  EXPECT_EQ(sums(people(), ruled), sums(without, {}));
}

TEST(PrivateGram, WhoSharesNothingAddsNothing) {
  Plan closed;
  closed.consent.pi = 0.0;
  PlainCollector plain({rows_for(4), numbers_a_row});
  const auto popularity = collect_popularity(people(), 4, closed, plain);
  ASSERT_TRUE(popularity.ok());
  EXPECT_EQ(popularity->sums, (std::vector<std::int64_t>(4, 0)));
}

}  // namespace sotto::sim::private_gram_test
