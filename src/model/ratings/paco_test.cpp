#include "model/ratings/paco.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/ratings/testing/small_ratings.h"

namespace sotto::model::paco_test {

// Two groups of people, each with its own half of the items; somebody has about seven in ten of their half.
Rows two_groups() {
  Rows rows(60);
  for (std::uint32_t user = 0; user < 60; ++user) {
    Stream draws(4, Purpose::generate_world, 2, user);
    for (std::uint32_t item = 0; item < 40; ++item)
      if (item / 20 == user / 30 && draws.chance(0.7)) rows[user].push_back(item);
  }
  return rows;
}

TEST(Paco, ScoresAreTheDensitiesOfTheBlocksItFound) {
  const Rows rows = two_groups();
  const PacoOptions options{.user_clusters = 4, .item_clusters = 4, .seed = 3};
  const auto model = Paco::fit(histories_of(rows), 40, options).value();
  const auto people = model->user_clusters();
  const auto items = model->item_clusters();
  // No cluster mixes the two groups.
  for (std::uint32_t user = 0; user < 30; ++user)
    for (std::uint32_t other = 30; other < 60; ++other) EXPECT_NE(people[user], people[other]);
  for (std::uint32_t item = 0; item < 20; ++item)
    for (std::uint32_t other = 20; other < 40; ++other) EXPECT_NE(items[item], items[other]);
  // Ones over cells of the block, counted one by one, and a thousandth of the item's share in the cluster.
  for (const std::uint32_t user : {0u, 17u, 59u}) {
    const auto scores = scores_of(*model, user);
    for (std::uint32_t item = 0; item < 40; ++item) {
      double cells = 0.0, ones = 0.0, takers = 0.0, members = 0.0;
      for (std::uint32_t one = 0; one < 60; ++one) {
        if (people[one] != people[user]) continue;
        members += 1.0;
        for (std::uint32_t thing = 0; thing < 40; ++thing) {
          const bool has = std::ranges::count(rows[one], thing) > 0;
          if (thing == item && has) takers += 1.0;
          if (items[thing] != items[item]) continue;
          cells += 1.0;
          ones += has ? 1.0 : 0.0;
        }
      }
      EXPECT_NEAR(scores[item], ones / cells + 1e-3 * takers / members, 1e-6);
    }
  }
}

TEST(Paco, SomebodyNewIsOfTheNearestCluster) {
  const Rows rows = two_groups();
  const auto model = Paco::fit(histories_of(rows), 40, {.user_clusters = 2, .item_clusters = 2}).value();
  std::vector<float> fresh(40);
  model->score_history(items_of({20, 21, 22, 25, 27, 30, 34, 39}), fresh);
  for (std::uint32_t item = 0; item < 20; ++item) EXPECT_LT(fresh[item], fresh[item + 20]);
  EXPECT_FALSE(model->similar({0}, fresh).ok());
}

TEST(Paco, SameSeedSameClusters) {
  const Histories train = histories_of(planted_rows(50, 40, 3, 8));
  const PacoOptions options{.user_clusters = 8, .item_clusters = 8, .seed = 5};
  const auto one = Paco::fit(train, 40, options).value(), again = Paco::fit(train, 40, options).value();
  EXPECT_EQ(all_scores(*one, 50), all_scores(*again, 50));
}

// Log2 of the C library, cell by cell.
double slow_cost(const Blocks& blocks) {
  double bits = 0.0;
  for (std::size_t row = 0; row < blocks.rows.size(); ++row)
    for (std::size_t column = 0; column < blocks.columns.size(); ++column) {
      const double cells = blocks.rows[row] * blocks.columns[column], share = blocks.at(row, column) / cells;
      for (const double p : {share, 1.0 - share})
        if (p > 0.0) bits -= cells * p * std::log2(p);
      bits += std::log2(cells + 1.0);
    }
  return bits;
}

TEST(CoClusters, MergingNeverCostsMore) {
  // Rows 0 and 2 are alike in density, as are columns 0 and 1.
  const Blocks blocks{{10, 10, 10}, {20, 20, 20}, {180, 178, 4, 3, 5, 190, 181, 179, 2}};
  EXPECT_NEAR(blocks.cost(), slow_cost(blocks), 1e-9);
  const Merged merged = merge_clusters(blocks);
  EXPECT_EQ(merged.rows, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(merged.columns, (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_LT(slow_cost(merged.blocks), slow_cost(blocks));
  EXPECT_EQ(merged.blocks.ones, (std::vector<double>{180 + 178 + 181 + 179, 6, 8, 190}));
  EXPECT_EQ(merged.blocks.rows, (std::vector<double>{20, 10}));
}

TEST(Paco, RefusesWhatCannotBe) {
  EXPECT_EQ(Paco::fit(histories_of({{0}}), 1, {.user_clusters = 0}).error().code, Code::usage);
  EXPECT_EQ(Paco::fit(Histories(3), 1, {}).error().code, Code::bad_input);
}

}  // namespace sotto::model::paco_test
