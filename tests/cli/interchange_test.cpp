// Lists and splits in and out: ours for other programs, theirs judged here.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliInterchange : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workshop = new Workshop;
    make({"data", "generate", "--users", "120", "--items", "100", "--mean", "18", "--out", "w"});
    make({"data", "split", "w", "--validation", "0.2", "--out", "s"});
    make({"train", "--split-file", "s/split.bin", "--variant", "pfpl+", "--epochs", "5", "--cutoffs", "5,10",
          "--out", "run"});
    make({"train", "--split-file", "s/split.bin", "--model", "toppop", "--out", "pop"});
  }
  static void TearDownTestSuite() {
    delete workshop;
    workshop = nullptr;
  }
  static void make(const Words& words) {
    const Outcome outcome = workshop->sotto(words);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  static nlohmann::json trained(const std::string& run) {
    return nlohmann::json::parse(workshop->get(run + "/run.json"))["metrics"];
  }
  // All metrics of lists are the run's own; AUC needs more than lists.
  static void expect_same(const Outcome& judged, nlohmann::json own) {
    ASSERT_EQ(judged.code, 0) << judged.err;
    own.erase("AUC");
    EXPECT_EQ(judged.json()["metrics"], own);
  }

  static Workshop* workshop;
};
Workshop* CliInterchange::workshop = nullptr;

TEST_F(CliInterchange, our_lists_come_back_with_our_metrics_exactly) {
  for (const auto& [run, cutoffs] : std::map<std::string, std::string>{{"run", "5,10"}, {"pop", "10"}})
    for (const std::string format : {"tsv", "trec"}) {
      make({"recommend", "--run", run, "--all-users", "--format", format, "--out", "lists"});
      expect_same(workshop->sotto({"evaluate", "--recs", "lists", "--split-file", "s/split.bin", "--cutoffs",
                                   cutoffs, "--json"}),
                  trained(run));
      expect_same(workshop->sotto({"evaluate", "--recs", "lists", "--run", run, "--json"}), trained(run));
    }
}

TEST_F(CliInterchange, lists_in_any_order_of_lines_are_judged_by_score) {
  make({"recommend", "--run", "run", "--all", "--out", "lists.tsv"});
  auto rows = rows_of(workshop->get("lists.tsv"));
  std::string backwards = "user,item,score\n";
  for (std::size_t n = rows.size(); n-- > 1;)
    backwards += rows[n][0] + "," + rows[n][2] + "," + rows[n][3] + "\n";
  workshop->put("backwards.csv", backwards);
  const Outcome outcome = workshop->sotto({"evaluate", "--recs", "backwards.csv", "--run", "run", "--json"});
  expect_same(outcome, trained("run"));
  EXPECT_EQ(outcome.json()["recs"]["reordered"], 120);
  const Outcome text = workshop->sotto({"evaluate", "--recs", "backwards.csv", "--run", "run"});
  EXPECT_NE(text.out.find("120 lists in backwards.csv; 120 were not best first"), std::string::npos)
      << text.out;
}

TEST_F(CliInterchange, splits_go_out_as_text_and_come_in_again) {
  make({"recommend", "--run", "run", "--all", "--out", "lists.tsv"});
  const auto judged = workshop
                          ->sotto({"evaluate", "--recs", "lists.tsv", "--data", "s/train.tsv", "--test",
                                   "s/test.tsv", "--validation-data", "s/validation.tsv", "--json"})
                          .json()["metrics"];
  const auto own = trained("run");
  for (const char* name : {"P@10", "R@10", "nDCG@10", "MAP@10", "IC@10", "Gini@10", "SE@10"})
    EXPECT_NEAR(judged[name].get<double>(), own[name].get<double>(), 1e-12) << name;
}

// What trec_eval does with the two files, by hand: sort by score, count relevant ones.
TEST_F(CliInterchange, trec_files_give_our_precision_to_whoever_reads_them) {
  make({"recommend", "--run", "pop", "--all", "--format", "trec", "--out", "pop.trec"});
  make({"evaluate", "--run", "pop", "--qrels", "qrels.txt"});
  std::map<std::string, std::set<std::string>> relevant;
  std::map<std::string, std::map<double, std::string, std::greater<>>> ranked;
  std::istringstream qrels(workshop->get("qrels.txt")), lists(workshop->get("pop.trec"));
  std::string user, zero, item, rank, tag;
  for (int grade = 0; qrels >> user >> zero >> item >> grade;) {
    EXPECT_EQ(grade, 1);
    relevant[user].insert(item);
  }
  std::size_t lines = 0;
  for (double score = 0.0; lists >> user >> zero >> item >> rank >> score >> tag; ++lines)
    ranked[user][score] = item;
  double precision = 0.0, recall = 0.0;
  std::size_t kept = 0;
  for (const auto& [who, items] : relevant) {
    double hits = 0.0;
    for (const auto& [score, what] : ranked[who]) hits += items.contains(what) ? 1.0 : 0.0;
    precision += hits / 10.0;
    recall += hits / static_cast<double>(items.size());
  }
  for (const auto& [who, items] : ranked) kept += items.size();
  EXPECT_EQ(kept, lines);  // no two scores of a list are equal
  const auto users = static_cast<double>(relevant.size());
  EXPECT_NEAR(precision / users, trained("pop")["P@10"].get<double>(), 1e-12);
  EXPECT_NEAR(recall / users, trained("pop")["R@10"].get<double>(), 1e-12);
}

TEST_F(CliInterchange, the_validation_part_is_judged_with_its_items_as_candidates) {
  const auto own =
      workshop->sotto({"evaluate", "--run", "pop", "--part", "validation", "--json"}).json()["metrics"];
  // Lists that leave only training items out: those of a model that never heard of validation items.
  std::string lists = "user\titem\n";
  make({"recommend", "--run", "pop", "--all", "--include-seen", "-n", "100", "--out", "all.tsv"});
  std::map<std::string, std::set<std::string>> train;
  for (const auto& row : rows_of(workshop->get("s/train.tsv"))) train[row[0]].insert(row[1]);
  for (const auto& row : rows_of(workshop->get("all.tsv")))
    if (row[0] != "user" && !train[row[0]].contains(row[2])) lists += row[0] + "\t" + row[2] + "\n";
  workshop->put("validation.tsv", lists);
  expect_same(workshop->sotto(
                  {"evaluate", "--recs", "validation.tsv", "--run", "pop", "--part", "validation", "--json"}),
              own);
  // On the test part some of these items are the users' own.
  const Outcome test = workshop->sotto({"evaluate", "--recs", "validation.tsv", "--run", "pop"});
  EXPECT_EQ(test.code, 1);
  EXPECT_NE(test.err.find("already"), std::string::npos) << test.err;
}

TEST_F(CliInterchange, bad_lists_are_refused_with_file_and_line) {
  make({"recommend", "--run", "run", "--all", "--out", "lists.tsv"});
  const std::string good = workshop->get("lists.tsv");
  const auto first = rows_of(good)[1];
  const auto refused = [&](const std::string& text) {
    workshop->put("bad.tsv", text);
    const Outcome outcome = workshop->sotto({"evaluate", "--recs", "bad.tsv", "--run", "run"});
    EXPECT_EQ(outcome.code, 1) << outcome.out;
    EXPECT_TRUE(outcome.out.empty());
    EXPECT_EQ(outcome.err.find("person-"), std::string::npos) << outcome.err;
    return outcome.err;
  };
  const auto columns = good.substr(0, good.find('\n') + 1);
  const auto line = [&](const std::string& user, const std::string& item, const std::string& score) {
    std::string text = user + "\t1\t" + item + "\t" + score;
    for (std::size_t n = 4; n < rows_of(columns)[0].size(); ++n) text += "\tx";
    return columns + text + "\n";
  };
  EXPECT_NE(refused(line("nobody", first[2], "1")).find("bad.tsv, line 2: the split has no such user"),
            std::string::npos);
  EXPECT_NE(refused(line(first[0], "nothing", "1")).find("not in the catalogue"), std::string::npos);
  EXPECT_NE(refused(line(first[0], first[2], "much")).find("no finite number"), std::string::npos);
  EXPECT_NE(refused(good + good.substr(columns.size())).find("twice"), std::string::npos);
  EXPECT_NE(refused(line(first[0], first[2], "1")).find("--short-lists allow"), std::string::npos);
  EXPECT_NE(refused("").find("empty"), std::string::npos);
}

TEST_F(CliInterchange, short_lists_count_as_misses_where_allowed) {
  make({"recommend", "--run", "run", "--all", "-n", "4", "--out", "four.tsv"});
  const Words base{"evaluate", "--recs", "four.tsv", "--run", "run", "--json", "--cutoffs"};
  Words words = base;
  words.emplace_back("4");
  const Outcome four = workshop->sotto(words);
  ASSERT_EQ(four.code, 0) << four.err;
  words.back() = "10";
  EXPECT_EQ(workshop->sotto(words).code, 1);
  words.insert(words.end(), {"--short-lists", "allow"});
  const Outcome ten = workshop->sotto(words);
  ASSERT_EQ(ten.code, 0) << ten.err;
  EXPECT_EQ(ten.json()["short_lists"][0], ten.json()["judged_users"]);
  EXPECT_NEAR(ten.json()["metrics"]["P@10"].get<double>() * 10.0,
              four.json()["metrics"]["P@4"].get<double>() * 4.0, 1e-12);
}

TEST_F(CliInterchange, flags_that_do_not_go_together_are_usage_errors) {
  for (const Words& words :
       std::vector<Words>{{"evaluate", "--recs", "lists.tsv"},
                          {"evaluate", "--recs", "x", "--run", "run", "--split-file", "s/split.bin"},
                          {"evaluate", "--run", "run", "--split-file", "s/split.bin"},
                          {"evaluate", "--recs", "x", "--run", "run", "--short-lists", "maybe"},
                          {"recommend", "--run", "run", "--all", "--format", "pdf"},
                          {"recommend", "--run", "run", "--history", "venue-00001", "--format", "trec"}})
    EXPECT_EQ(workshop->sotto(words).code, 2) << words[1] << words.back();
  EXPECT_EQ(workshop->sotto({"evaluate", "--recs", "nowhere.tsv", "--run", "run"}).code, 1);
}

}  // namespace
}  // namespace sotto::cli
