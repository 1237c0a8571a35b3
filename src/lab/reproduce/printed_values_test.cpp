#include "lab/reproduce/printed_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/reproduce/targets.h"

namespace sotto {
namespace {

TEST(PrintedValues, every_dataset_has_every_model_once) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const PrintedScore& score : printed_scores())
    EXPECT_TRUE(seen.emplace(score.dataset, score.model).second);
  EXPECT_EQ(seen.size(), printed_datasets().size() * paper_models.size());
  for (const PrintedDataset& data : printed_datasets())
    for (const std::string_view model : paper_models) EXPECT_TRUE(seen.contains({data.dataset, model}));
}

TEST(PrintedValues, only_three_rows_lost_their_accuracy) {
  std::vector<std::string_view> lost;
  for (const PrintedScore& score : printed_scores()) {
    EXPECT_EQ(std::isnan(score.precision), std::isnan(score.recall));
    if (std::isnan(score.precision)) {
      lost.push_back(score.dataset);
      EXPECT_EQ(score.model, "pFPL+");
    }
    EXPECT_GT(score.coverage, 0.0);
    EXPECT_TRUE(score.gini > 0.0 && score.gini < 1.0);
  }
  EXPECT_EQ(lost, (std::vector<std::string_view>{"Amazon DM", "LibraryThing", "MovieLens 1M"}));
}

TEST(PrintedValues, known_cells) {
  EXPECT_DOUBLE_EQ(printed_score("Amazon DM", "Item-kNN", "P@10").value(), .02147);
  EXPECT_DOUBLE_EQ(printed_score("MovieLens 1M", "pFPL", "P@10").value(), .12275);
  EXPECT_DOUBLE_EQ(printed_score("Italy", "VAE", "R@10").value(), .21324);
  EXPECT_DOUBLE_EQ(printed_score("Brazil", "sFPL+", "IC@10").value(), 5200);
  EXPECT_DOUBLE_EQ(printed_score("Canada", "FCF", "Gini@10").value(), .00174);
  EXPECT_FALSE(printed_score("Amazon DM", "pFPL+", "P@10").has_value());
  EXPECT_FALSE(printed_score("Amazon DM", "sFPL", "nDCG@10").has_value());
  EXPECT_FALSE(printed_score("Amazon DM", "fedEASE", "P@10").has_value());
}

// Within a table coverage cannot exceed the catalogue, and no list of ten finds more than everything.
TEST(PrintedValues, tables_agree_with_each_other) {
  for (const PrintedDataset& data : printed_datasets())
    for (const PrintedScore& score : printed_scores())
      if (score.dataset == data.dataset) {
        EXPECT_LE(score.coverage, data.items) << data.dataset;
      }
  // The best precision of a configuration in table 4.4 is Brazil's cell of table 4.2, at the π printed there.
  for (const PrintedPi& best : printed_pis()) {
    if (best.dataset != "Brazil") continue;
    for (const PrintedCost& cost : printed_costs())
      if (cost.model == best.model && cost.pi == best.pi) {
        EXPECT_DOUBLE_EQ(cost.precision, printed_score("Brazil", best.model, "P@10").value()) << best.model;
      }
  }
}

// Costs follow the papers' formula with the printed counts to the last printed digit: records · (items +
// T(1 + π)) · epochs, with the mean history as it is for T, not rounded to whole triples.
TEST(PrintedValues, costs_follow_the_formula) {
  EXPECT_EQ(printed_costs().size(), 40u);
  for (const PrintedCost& cost : printed_costs()) {
    const double triples = cost.model.ends_with('+') ? 599958.0 / 17473.0 : 1.0;
    const double vectors = 599958.0 * (47270.0 + triples * (1.0 + cost.pi)) * printed_epochs(cost.model);
    EXPECT_NEAR(cost.vectors, vectors / 1e12, 5.1e-6) << cost.model << " " << cost.pi;
  }
}

TEST(PrintedValues, biases_cover_the_models_and_the_three_countries) {
  EXPECT_EQ(printed_source_bias().size(), 3u);
  ASSERT_EQ(printed_disparity().size(), paper_models.size());
  for (std::size_t n = 0; n < paper_models.size(); ++n)
    EXPECT_EQ(printed_disparity()[n].name, paper_models[n]);
  for (const PrintedBias& row : printed_disparity())
    for (const double value : row.values) EXPECT_GE(value, -1.0);  // nothing is recommended less than never
}

}  // namespace
}  // namespace sotto
