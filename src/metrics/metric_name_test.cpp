#include "metrics/metric_name.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "metrics/evaluate.h"
#include "model/central/random_scores.h"
#include "model/central/testing/small_worlds.h"

namespace sotto::metrics::metric_name_test {

TEST(MetricName, EveryMetricOfAnEvaluationHasItsName) {
  Split split;
  split.catalogue = 3;
  split.train = histories_of({{0}});
  split.validation = histories_of({{}});
  split.test = histories_of({{1}});
  SerialExecutor executor;
  EvaluateOptions options;
  options.cutoffs = {2, 10};
  const auto evaluation = evaluate(RandomScores(3, 1), split, options, executor);
  ASSERT_TRUE(evaluation.ok());
  for (const Metric& metric : evaluation->metrics) {
    const auto name = parse_metric_name(metric.name);
    ASSERT_TRUE(name.ok()) << metric.name;
    EXPECT_EQ(name->cutoff ? name->base + "@" + std::to_string(*name->cutoff) : name->base, metric.name);
  }
}

TEST(MetricName, WhatIsNoNameIsRefusedWithTheList) {
  for (const char* text : {"", "@", "P", "P@", "P@0", "P@01", "P@ten", "P@10 ", "p@10", "Luck@10", "AUC@10",
                           "P@-1", "P@99999999999"}) {
    const auto name = parse_metric_name(text);
    ASSERT_FALSE(name.ok()) << text;
    EXPECT_EQ(name.error().code, Code::usage);
    EXPECT_NE(name.error().message.find("nDCG@K"), std::string::npos);
  }
}

TEST(MetricName, LessPopularityIsBetter) {
  EXPECT_TRUE(less_is_better({"PopREO", 10}));
  EXPECT_FALSE(less_is_better({"nDCG", 10}));
  EXPECT_FALSE(less_is_better({"IC", 10}));
  EXPECT_TRUE(is_better("ARP@10", 1.0, 2.0));
  EXPECT_FALSE(is_better("ARP@10", 2.0, 1.0));
  EXPECT_TRUE(is_better("nDCG@10", 2.0, 1.0));
  EXPECT_TRUE(is_better("AUC", 2.0, 1.0));
  EXPECT_TRUE(is_better("nDCGhits@10", 2.0, 1.0));
  for (const char* metric : {"ARP@10", "nDCG@10"}) {
    EXPECT_FALSE(is_better(metric, 1.0, 1.0));
    EXPECT_TRUE(is_better(metric, 1.0, NAN));
    EXPECT_FALSE(is_better(metric, NAN, 1.0));
    EXPECT_FALSE(is_better(metric, NAN, NAN));
  }
}

TEST(MetricName, SmallErrorsAreBetter) {
  for (const char* text : {"MAE", "RMSE"}) {
    const auto name = parse_metric_name(text);
    ASSERT_TRUE(name.ok());
    EXPECT_FALSE(name->cutoff.has_value());
    EXPECT_TRUE(less_is_better(*name));
    EXPECT_TRUE(is_over_records(*name));
    EXPECT_TRUE(is_better(text, 0.7, 0.8));
  }
  EXPECT_FALSE(less_is_better(parse_metric_name("RatedShare").value()));
  EXPECT_FALSE(is_over_records({"nDCG", 10}));
  EXPECT_FALSE(parse_metric_name("MAE@10").ok());
}

TEST(MetricName, TheOneTableIsWhatTheDocumentLists) {
  std::ostringstream text;
  text << std::ifstream(SOTTO_SOURCE_DIR "/docs/metrics.md").rdbuf();
  std::set<std::string> listed;  // the first cells of the table's rows
  std::istringstream lines(text.str());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    std::string cell = line.substr(0, line.find('|', 1));
    for (char& letter : cell)
      letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '@' ? letter : ' ';
    std::istringstream words(cell);
    for (std::string word; words >> word;) listed.insert(word.substr(0, word.find('@')));
  }
  listed.erase("");
  for (const MetricFacts& facts : all_metrics())
    EXPECT_EQ(listed.erase(std::string(facts.base)), 1u) << facts.base;
  EXPECT_TRUE(listed.empty()) << *listed.begin();
}

TEST(MetricName, TextsAreForPeople) {
  EXPECT_EQ(metric_text("nDCG@10", 0.12346), "0.1235");
  EXPECT_EQ(metric_text("MAE", 0.12346, 2), "0.12");
  EXPECT_EQ(metric_text("IC@10", 1234.0), "1234");
  EXPECT_EQ(metric_text("ARP@10", NAN), "n/a");
  EXPECT_EQ(facts_of("Luck@10"), nullptr);
}

TEST(MetricName, TheUsualOnesAreKnown) {
  EXPECT_EQ(usual_metrics(5, MetricNeeds::lists),
            (std::vector<std::string>{"P@5", "R@5", "nDCG@5", "IC@5", "Gini@5"}));
  EXPECT_EQ(usual_metrics(5, MetricNeeds::ratings), (std::vector<std::string>{"MAE", "RMSE"}));
}

}  // namespace sotto::metrics::metric_name_test
