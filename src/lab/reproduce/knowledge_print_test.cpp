#include "lab/reproduce/knowledge_print.h"

#include <gtest/gtest.h>

#include <set>

#include "lab/reproduce/paper_data.h"

namespace sotto {
namespace {

TEST(KnowledgePrint, every_dataset_has_every_model_once) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const PrintedKnowledge& row : printed_knowledge())
    EXPECT_TRUE(seen.emplace(row.dataset, row.model).second);
  EXPECT_EQ(seen.size(), 3 * knowledge_models.size());
  for (const std::string_view dataset : {yahoo_movies, facebook_books, movielens_liked})
    for (const std::string_view model : knowledge_models)
      EXPECT_TRUE(seen.contains({dataset, model})) << dataset << " " << model;
}

TEST(KnowledgePrint, known_cells) {
  EXPECT_EQ(printed_knowledge(facebook_books, "KGFlex", "nDCG@10"), .0853);
  EXPECT_EQ(printed_knowledge(facebook_books, "KGFlex", "IC@10"), 606);
  EXPECT_EQ(printed_knowledge(facebook_books, "KGFlex", "PopRSP@10"), .4485);
  EXPECT_EQ(printed_knowledge(yahoo_movies, "kaHFM", "IC@1"), 290);
  EXPECT_EQ(printed_knowledge(yahoo_movies, "Random", "ACLT@10"), 5.5203);
  EXPECT_EQ(printed_knowledge(movielens_liked, "BPR-MF", "nDCG@1"), .4679);
  EXPECT_EQ(printed_knowledge(movielens_liked, "NeuMF", "PopREO@10"), 1.0);
  EXPECT_FALSE(printed_knowledge(movielens_1m, "KGFlex", "nDCG@10").has_value());  // chapter 4's
  EXPECT_FALSE(printed_knowledge(facebook_books, "KGFlex", "HR@10").has_value());
}

// What any table of these metrics obeys.
TEST(KnowledgePrint, tables_obey_the_metrics_laws) {
  for (const PrintedKnowledge& row : printed_knowledge()) {
    const auto at = [&row](std::string_view metric) {
      return *printed_knowledge(row.dataset, row.model, metric);
    };
    EXPECT_GE(at("IC@10"), at("IC@1")) << row.dataset << " " << row.model;
    EXPECT_LE(at("ACLT@10"), 10.0);
    EXPECT_LE(at("ACLT@1"), 1.0);
    for (const char* metric :
         {"nDCG@10", "nDCG@1", "Gini@10", "Gini@1", "PopREO@10", "PopREO@1", "PopRSP@10", "PopRSP@1"})
      EXPECT_TRUE(at(metric) >= 0.0 && at(metric) <= 1.0) << row.dataset << " " << row.model << " " << metric;
    // A model without long-tail items shows popular ones only.
    if (at("ACLT@10") == 0.0) {
      EXPECT_EQ(at("PopRSP@10"), 1.0) << row.dataset << " " << row.model;
    }
  }
}

TEST(KnowledgePrint, preserved_shares_are_of_so_many_features) {
  for (const PrintedPreserved& row : printed_preserved()) {
    EXPECT_LE(row.first, row.second);
    EXPECT_LE(row.second, row.third);
    // Shares of k features are k-ths; the whole profile has 200, 100 of each hop.
    const double whole = row.k == 0 ? 200.0 : static_cast<double>(row.k);
    for (const double share : {row.first, row.second, row.third})
      EXPECT_NEAR(share * whole, static_cast<double>(static_cast<int>(share * whole + 0.5)), 1e-9);
  }
}

}  // namespace
}  // namespace sotto
