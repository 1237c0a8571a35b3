// The printed tables of papers/: what reads them, and laws that a number copied wrongly would break.
#include "lab/reproduce/printed_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fed/criteria/criterion.h"
#include "lab/reproduce/averaging_plans.h"
#include "lab/reproduce/paper_files.h"

namespace sotto::lab {
namespace {

std::string refused(std::string_view text) {
  const auto read = PrintedTable::read(text, "papers/some.tsv");
  return read.ok() ? "" : read.error().message;
}

TEST(PrintedTable, rows_are_found_by_all_their_keys) {
  const PrintedTable table =
      PrintedTable::read("# what it is\ndataset:\tmodel:\tP@10\tR@10\nA\tx\t0.5\t-\n\nA\t-\t-1e2\t3\n", "t")
          .value();
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"P@10", "R@10"}));
  EXPECT_EQ(table.value({"A", "x"}, "P@10"), 0.5);
  EXPECT_EQ(table.value({"A", "x"}, "R@10"), std::nullopt) << "lost";
  EXPECT_EQ(table.value({"A", ""}, "P@10"), -100.0) << "nobody's";
  EXPECT_EQ(table.value({"A", "y"}, "P@10"), std::nullopt);
  EXPECT_EQ(table.value({"A", "x"}, "F1@10"), std::nullopt);
}

TEST(PrintedTable, what_is_wrong_names_file_and_line) {
  EXPECT_NE(refused("a:\tb\nx\t1\nx\t2\n").find("papers/some.tsv, line 3: the row 'x'"), std::string::npos);
  EXPECT_NE(refused("a:\tb\n# note\nx\t1,5\n").find("papers/some.tsv, line 3: '1,5'"), std::string::npos);
  EXPECT_NE(refused("a:\tb\nx\t1\t2\n").find("line 2: 3 cells where 2"), std::string::npos);
  EXPECT_NE(refused("a:\tb\nx\t\n").find("line 2: ''"), std::string::npos);
  EXPECT_NE(refused("b\ta:\nx\t1\n").find("line 1"), std::string::npos);
  EXPECT_NE(refused("a:\nx\n").find("line 1"), std::string::npos);
  EXPECT_NE(refused("a:\tb\n").find("without rows"), std::string::npos);
}

TEST(PrintedTable, every_file_of_the_papers_is_read) {
  for (const PaperFile& file : paper_files()) {
    if (!file.path.ends_with(".tsv")) continue;
    const auto read = PrintedTable::read(file.text, std::string(file.path));
    EXPECT_TRUE(read.ok()) << read.error().message;
  }
}

const PrintedTable& scores() { return printed("pairwise/scores.tsv"); }

TEST(PrintedScores, every_dataset_has_every_model_and_only_three_rows_lost_their_accuracy) {
  const std::vector<std::string> models = find_target("4.2")->models;
  EXPECT_EQ(scores().rows().size(), printed("pairwise/datasets.tsv").rows().size() * models.size());
  std::vector<std::string> lost;
  for (const PrintedTable::Row& data : printed("pairwise/datasets.tsv").rows())
    for (const std::string& model : models) {
      const std::string& dataset = data.keys[0];
      EXPECT_EQ(scores().value({dataset, model}, "P@10").has_value(),
                scores().value({dataset, model}, "R@10").has_value());
      if (!scores().value({dataset, model}, "P@10")) lost.push_back(dataset + " " + model);
      // Coverage cannot exceed the catalogue.
      EXPECT_LE(scores().value({dataset, model}, "IC@10").value(), data.values[1]);
      EXPECT_GT(scores().value({dataset, model}, "Gini@10").value(), 0.0);
      EXPECT_LT(scores().value({dataset, model}, "Gini@10").value(), 1.0);
    }
  EXPECT_EQ(lost, (std::vector<std::string>{"Amazon DM pFPL+", "LibraryThing pFPL+", "MovieLens 1M pFPL+"}));
}

TEST(PrintedScores, known_cells) {
  EXPECT_EQ(scores().value({"Amazon DM", "Item-kNN"}, "P@10"), .02147);
  EXPECT_EQ(scores().value({"MovieLens 1M", "pFPL"}, "P@10"), .12275);
  EXPECT_EQ(scores().value({"Italy", "VAE"}, "R@10"), .21324);
  EXPECT_EQ(scores().value({"Brazil", "sFPL+"}, "IC@10"), 5200);
  EXPECT_EQ(scores().value({"Canada", "FCF"}, "Gini@10"), .00174);
  EXPECT_FALSE(scores().value({"Amazon DM", "sFPL"}, "nDCG@10"));
  EXPECT_FALSE(scores().value({"Amazon DM", "fedEASE"}, "P@10"));
  const PrintedTable& knowledge = printed("knowledge/scores.tsv");
  EXPECT_EQ(knowledge.value({"Facebook Books", "KGFlex"}, "nDCG@10"), .0853);
  EXPECT_EQ(knowledge.value({"Facebook Books", "KGFlex"}, "PopRSP@10"), .4485);
  EXPECT_EQ(knowledge.value({"Yahoo! Movies", "kaHFM"}, "IC@1"), 290);
  EXPECT_EQ(knowledge.value({"Yahoo! Movies", "Random"}, "ACLT@10"), 5.5203);
  EXPECT_EQ(knowledge.value({"MovieLens 1M, ratings from 3", "BPR-MF"}, "nDCG@1"), .4679);
  EXPECT_FALSE(knowledge.value({"MovieLens 1M", "KGFlex"}, "nDCG@10"));  // chapter 4's
  const PrintedTable& cars = printed("cars/scores.tsv");
  EXPECT_EQ(cars.value({"MovieLens 100K", "Fed-CARS"}, "RMSE"), .9593);
  EXPECT_EQ(cars.value({"MovieLens latest-small", "Fed-CARS"}, "MAE"), .7088);
  EXPECT_EQ(cars.value({"MovieLens latest-small", "PaCo"}, "nDCGhits@10"), .3632);
  EXPECT_FALSE(cars.value({"MovieLens 100K", "PaCo"}, "MAE"));
}

// Costs follow the papers' formula with the printed counts to the last printed digit: records · (items +
// T(1 + π)) · epochs, with the mean history as it is for T, not rounded to whole triples.
TEST(PrintedCosts, follow_the_formula_and_agree_with_the_scores) {
  const PrintedTable& costs = printed("pairwise/costs.tsv");
  EXPECT_EQ(costs.rows().size(), 40u);
  for (const PrintedTable::Row& cost : costs.rows()) {
    const double triples = cost.keys[0].ends_with('+') ? 599958.0 / 17473.0 : 1.0;
    const double pi = std::stod(cost.keys[1]);
    const double vectors = 599958.0 * (47270.0 + triples * (1.0 + pi)) * cost.values[2].value();
    EXPECT_NEAR(cost.values[0].value(), vectors / 1e12, 5.1e-6) << cost.keys[0] << " " << pi;
    // The best precision of a configuration is Brazil's cell of table 4.2, at the π printed there.
    if (std::abs(printed("pairwise/pis.tsv").value({"Brazil", cost.keys[0]}, "pi").value() - pi) < 1e-9) {
      EXPECT_EQ(cost.values[1], scores().value({"Brazil", cost.keys[0]}, "P@10")) << cost.keys[0];
    }
  }
}

TEST(PrintedBias, covers_the_models_and_the_three_countries) {
  const PrintedTable &source = printed("pairwise/source_bias.tsv"),
                     &lists = printed("pairwise/disparity.tsv");
  EXPECT_EQ(source.rows().size(), 3u);
  EXPECT_EQ(source.columns(), lists.columns());
  const std::vector<std::string> models = find_target("4.6")->models;
  ASSERT_EQ(lists.rows().size(), models.size());
  for (std::size_t n = 0; n < models.size(); ++n) {
    EXPECT_EQ(lists.rows()[n].keys[0], models[n]);
    for (const auto& value : lists.rows()[n].values) EXPECT_GE(value, -1.0);  // not less than never
  }
}

// What any table of these metrics obeys.
TEST(PrintedKnowledge, tables_obey_the_metrics_laws) {
  const Target target = *find_target("6.1");
  const PrintedTable& table = printed("knowledge/scores.tsv");
  EXPECT_EQ(table.columns(), target.metrics);
  for (const std::string& dataset : target.datasets)
    for (const std::string& model : target.models) {
      if (contains(target.paper->unprinted, model)) continue;
      const auto at = [&](std::string_view metric) { return table.value({dataset, model}, metric).value(); };
      EXPECT_GE(at("IC@10"), at("IC@1")) << dataset << " " << model;
      EXPECT_LE(at("ACLT@10"), 10.0);
      EXPECT_LE(at("ACLT@1"), 1.0);
      for (const char* metric :
           {"nDCG@10", "nDCG@1", "Gini@10", "Gini@1", "PopREO@10", "PopREO@1", "PopRSP@10", "PopRSP@1"})
        EXPECT_TRUE(at(metric) >= 0.0 && at(metric) <= 1.0) << dataset << " " << model << " " << metric;
      // A model without long-tail items shows popular ones only.
      if (at("ACLT@10") == 0.0) {
        EXPECT_EQ(at("PopRSP@10"), 1.0) << dataset << " " << model;
      }
    }
  EXPECT_EQ(table.rows().size(), 30u);
}

TEST(PrintedKnowledge, preserved_shares_are_of_so_many_features) {
  for (const PrintedTable::Row& row : printed("knowledge/preserved.tsv").rows()) {
    EXPECT_LE(row.values[0], row.values[1]);
    EXPECT_LE(row.values[1], row.values[2]);
    // Shares of k features are k-ths; the whole profile has 200, 100 of each hop.
    const double whole = row.keys[0] == "all" ? 200.0 : std::stod(row.keys[0]);
    for (const auto& share : row.values) EXPECT_NEAR(*share * whole, std::round(*share * whole), 1e-9);
  }
}

// What any such table obeys, and what the paper says of its own.
TEST(PrintedCars, table_obeys_its_metrics) {
  const PrintedTable& table = printed("cars/scores.tsv");
  for (const char* dataset : {"MovieLens 100K", "MovieLens latest-small"})
    for (const PrintedTable::Row& row : printed("cars/rows.tsv").rows()) {
      const std::string& label = row.keys[0];
      const auto mae = table.value({dataset, label}, "MAE"), rmse = table.value({dataset, label}, "RMSE"),
                 ndcg = table.value({dataset, label}, "nDCGhits@10");
      EXPECT_EQ(ndcg.has_value(), row.values[0].has_value()) << label;
      EXPECT_EQ(mae.has_value(), row.values[0].has_value() && !row.keys[1].empty()) << label;
      if (mae) {
        EXPECT_LT(*mae, *rmse) << label;
      }
      if (ndcg && label != "Fed-CARS") {
        EXPECT_LT(*ndcg, *table.value({dataset, "Fed-CARS"}, "nDCGhits@10")) << label;
      }
    }
}

constexpr std::array experiments{"MNIST, IID", "MNIST, two shards each", "CelebA attributes"};

// A number that was copied wrongly would most likely miss the printed average.
TEST(PrintedRounds, CompleteRowsHaveThePrintedAverage) {
  std::size_t complete = 0;
  for (const PrintedTable::Row& row : printed("averaging/rounds.tsv").rows()) {
    double sum = 0.0;
    for (std::size_t n = 0; n < 9; ++n) sum += row.values[n].value_or(std::nan(""));
    if (std::isnan(sum) || row.keys[1] == "DS") continue;
    ++complete;
    EXPECT_NEAR(sum / 9.0, row.values[9].value(), 0.0051) << row.keys[1] << " " << row.keys[2];
  }
  EXPECT_EQ(complete, 30u);
}

TEST(PrintedRounds, BaselinesNeedMoreRoundsForMoreDevicesAndMoreAccuracy) {
  const PrintedTable& table = printed("averaging/rounds.tsv");
  for (const char* experiment : experiments) {
    std::array<double, 9> before{};
    for (const std::uint32_t accuracy : experiment_on(experiment).accuracies) {
      double last = 0.0;
      for (std::size_t n = 0; n < 9; ++n) {
        const auto rounds =
            table.value({experiment, "DS", std::to_string(accuracy) + "%"}, table.columns()[n]);
        if (!rounds) continue;
        EXPECT_GE(*rounds, before[n]);
        EXPECT_GE(*rounds, last);
        before[n] = last = *rounds;
      }
    }
  }
  // The figures that the work is held against.
  EXPECT_EQ(table.value({"MNIST, IID", "DS", "90%"}, "50%"), 7);
  EXPECT_EQ(table.value({"MNIST, two shards each", "DS", "90%"}, "50%"), 23);
  EXPECT_EQ(table.value({"MNIST, two shards each", "DS", "95%"}, "50%"), 66);
}

// The baseline is the same in all matrices of a table: so many wrong, so many right.
TEST(PrintedMistakes, AgreeAboutTheBaseline) {
  const PrintedTable& table = printed("averaging/mistakes.tsv");
  for (const char* experiment : experiments) {
    std::set<double> wrong, examples;
    for (const std::string& setting : experiment_on(experiment).settings) {
      EXPECT_TRUE(parse_order(setting).ok()) << setting;
      const auto both = table.value({experiment, setting}, "both wrong");
      EXPECT_EQ(both.has_value(), setting != "DS") << setting;
      if (!both) continue;
      wrong.insert(*both + table.value({experiment, setting}, "only DS wrong").value());
      examples.insert(*wrong.begin() + table.value({experiment, setting}, "only DS right").value() +
                      table.value({experiment, setting}, "both right").value());
    }
    EXPECT_EQ(wrong.size(), 1u) << experiment;
    EXPECT_EQ(examples.size(), 1u) << experiment;
  }
}

}  // namespace
}  // namespace sotto::lab
