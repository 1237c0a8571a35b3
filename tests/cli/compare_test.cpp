// sotto compare: the table of a paper from run directories.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

// Four runs on one split and one on another, for all tests of this file.
class CliCompare : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workshop = new Workshop;
    make({"data", "generate", "--users", "200", "--items", "150", "--mean", "20", "--out", "w"});
    make({"data", "split", "w", "--out", "s"});
    train({"--model", "toppop", "--out", "pop"});
    train({"--model", "random", "--out", "luck"});
    train({"--variant", "pfpl+", "--epochs", "20", "--lr", "0.2", "--out", "fed"});
    train({"--variant", "pfpl+", "--epochs", "20", "--lr", "0.2", "--pi", "0.5", "--out", "half"});
    make({"data", "split", "w", "--split", "random:0.7", "--out", "s2"});
    make({"train", "--split-file", "s2/split.bin", "--model", "toppop", "--out", "elsewhere"});
  }
  static void TearDownTestSuite() {
    delete workshop;
    workshop = nullptr;
  }
  static void make(const Words& words) {
    const Outcome outcome = workshop->sotto(words);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  static void train(const Words& more) {
    Words words{"train", "--split-file", "s/split.bin"};
    words.insert(words.end(), more.begin(), more.end());
    make(words);
  }
  static Outcome compare(const Words& more) {
    Words words{"compare"};
    words.insert(words.end(), more.begin(), more.end());
    return workshop->sotto(words);
  }

  static Workshop* workshop;
};
Workshop* CliCompare::workshop = nullptr;

TEST_F(CliCompare, the_table_names_runs_marks_the_best_and_says_what_it_did) {
  const Outcome outcome = compare({"luck", "pop", "fed", "half"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"P@10", "nDCG@10", "Gini@10", "Random", "Top-Pop", "pFPL+ (pi = 1)",
                           "pFPL+ (pi = 0.5)", "200 users", "paired t-test", "Holm"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
}

TEST_F(CliCompare, json_holds_the_runs_own_figures_and_right_letters) {
  const Outcome outcome = compare({"luck", "pop", "fed", "--metrics", "P@10,nDCG@10,IC@10", "--pairs",
                                   "--intervals", "--resamples", "300", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  ASSERT_EQ(json["runs"].size(), 3u);
  for (const auto& run : json["runs"]) {
    const auto trained = nlohmann::json::parse(workshop->get(run["run"].get<std::string>() + "/run.json"));
    EXPECT_EQ(run["metrics"]["nDCG@10"]["value"], trained["metrics"]["nDCG@10"]);
    EXPECT_TRUE(run["metrics"]["nDCG@10"].contains("interval"));
    EXPECT_FALSE(run["metrics"]["IC@10"].contains("interval"));
    EXPECT_EQ(run["metrics"]["IC@10"]["beats"], "");
  }
  EXPECT_EQ(json["runs"][0]["metrics"]["nDCG@10"]["beats"], "");    // nobody loses to luck
  EXPECT_EQ(json["runs"][2]["metrics"]["nDCG@10"]["beats"], "ab");  // learning beats both
  EXPECT_EQ(json["runs"][2]["metrics"]["nDCG@10"]["place"], "best");
  ASSERT_EQ(json["pairs"].size(), 6u);
  // The difference of a pair is that of its runs' means, and its p is not above the corrected one.
  const auto& pair = json["pairs"][0];
  EXPECT_NEAR(pair["difference"].get<double>(),
              json["runs"][0]["metrics"]["P@10"]["value"].get<double>() -
                  json["runs"][1]["metrics"]["P@10"]["value"].get<double>(),
              1e-12);
  for (const auto& one : json["pairs"]) EXPECT_LE(one["p"].get<double>(), one["adjusted_p"].get<double>());
}

TEST_F(CliCompare, every_format_and_the_same_bytes_again) {
  const Words base{"pop", "fed", "--intervals", "--resamples", "200", "--pairs"};
  for (const auto& [format, part] :
       std::vector<std::pair<std::string, std::string>>{{"table", "d_z"},
                                                        {"tsv", "P@10 low"},
                                                        {"latex", "\\begin{tabular}"},
                                                        {"markdown", "|---|"},
                                                        {"json", "\"correction\": \"holm\""}}) {
    Words words = base;
    words.insert(words.end(), {"--format", format});
    const Outcome one = compare(words);
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_NE(one.out.find(part), std::string::npos) << one.out;
    words.insert(words.end(), {"--threads", "1", "--out", "table.txt"});
    ASSERT_EQ(compare(words).code, 0);
    EXPECT_EQ(workshop->get("table.txt"), one.out) << format;
  }
}

TEST_F(CliCompare, cutoffs_that_a_run_was_not_judged_at_are_judged_now) {
  const Outcome outcome = compare({"pop", "fed", "--metrics", "R@5", "--json", "--test", "wilcoxon"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("judging pop again"), std::string::npos) << outcome.err;
  const auto judged = workshop->sotto({"evaluate", "--run", "fed", "--cutoffs", "5", "--json"}).json();
  EXPECT_EQ(outcome.json()["runs"][1]["metrics"]["R@5"]["value"], judged["metrics"]["R@5"]);
  EXPECT_EQ(outcome.json()["test"], "wilcoxon");
}

TEST_F(CliCompare, refuses_what_cannot_be_compared) {
  const Outcome other = compare({"pop", "elsewhere"});
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.err.find("different splits"), std::string::npos) << other.err;
  EXPECT_EQ(compare({"pop"}).code, 2);
  EXPECT_EQ(compare({}).code, 2);
  EXPECT_EQ(compare({"pop", "nowhere"}).code, 1);
  EXPECT_EQ(compare({"pop", "fed", "--metrics", "Luck@10"}).code, 2);
  EXPECT_EQ(compare({"pop", "fed", "--metrics", "P@20000"}).code, 2);
  EXPECT_EQ(compare({"pop", "fed", "--test", "coin"}).code, 2);
  EXPECT_EQ(compare({"pop", "fed", "--alpha", "0"}).code, 2);
  EXPECT_EQ(compare({"pop", "fed", "--format", "pdf"}).code, 2);
  EXPECT_EQ(compare({"pop", "fed", "--resamples", "0"}).code, 2);
}

TEST_F(CliCompare, a_changed_file_of_values_is_refused_and_a_missing_one_made_again) {
  namespace fs = std::filesystem;
  fs::copy(workshop->folder() / "fed", workshop->folder() / "changed");
  workshop->put("changed/per_user.tsv", "user\tP@10\nsomebody\t1\n");
  const Outcome changed = compare({"pop", "changed"});
  EXPECT_EQ(changed.code, 1);
  EXPECT_NE(changed.err.find("changed/per_user.tsv, line 2"), std::string::npos) << changed.err;
  EXPECT_EQ(changed.err.find("somebody"), std::string::npos);
  fs::remove(workshop->folder() / "changed/per_user.tsv");
  const Outcome again = compare({"pop", "changed", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json()["runs"][1]["metrics"],
            compare({"pop", "fed", "--json"}).json()["runs"][1]["metrics"]);
}

}  // namespace
}  // namespace sotto::cli
