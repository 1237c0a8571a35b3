#include "model/ratings/paco.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "model/ratings/small_ratings.h"

namespace sotto {
namespace {

// Two groups of people, each with its own half of the items; somebody lacks one item in five of their half.
Rows two_groups() {
  Rows rows(20);
  for (std::uint32_t user = 0; user < 20; ++user)
    for (std::uint32_t item = 0; item < 10; ++item)
      if (item % 5 != user % 5) rows[user].push_back(item + (user < 10 ? 0 : 10));
  return rows;
}

TEST(Paco, FindsPlantedBlocks) {
  const Histories train = histories_of(two_groups());
  const auto model = Paco::fit(train, 20, {.user_clusters = 6, .item_clusters = 6, .seed = 3}).value();
  const auto people = model->user_clusters();
  const auto items = model->item_clusters();
  EXPECT_EQ(std::set(people.begin(), people.end()).size(), 2u);
  EXPECT_EQ(std::set(items.begin(), items.end()).size(), 2u);
  for (std::uint32_t n = 0; n < 20; ++n) {
    EXPECT_EQ(people[n], people[n < 10 ? 0 : 19]);
    EXPECT_EQ(items[n], items[n < 10 ? 0 : 19]);
  }
  // Every block is full to four fifths or empty; eight of ten people of a cluster have each item.
  const auto scores = scores_of(*model, 0);
  for (std::uint32_t item = 0; item < 10; ++item) EXPECT_NEAR(scores[item], 0.8 + 1e-3 * 0.8, 1e-6);
  for (std::uint32_t item = 10; item < 20; ++item) EXPECT_EQ(scores[item], 0.0f);
  std::vector<float> fresh(20);
  model->score_history(items_of({11, 12, 15}), fresh);
  EXPECT_EQ(fresh, scores_of(*model, 19));
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

}  // namespace
}  // namespace sotto
