// sotto evaluate, recommend, similar and demo: asking a trained run.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

// One run for all tests of this file.
class CliAsk : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workshop = new Workshop;
    ASSERT_EQ(
        workshop
            ->sotto({"data", "generate", "--users", "150", "--items", "120", "--mean", "20", "--out", "w"})
            .code,
        0);
    ASSERT_EQ(workshop->sotto({"data", "split", "w", "--names", "w/items.tsv", "--out", "s"}).code, 0);
    ASSERT_EQ(workshop
                  ->sotto({"train", "--split-file", "s/split.bin", "--variant", "sfpl+", "--epochs", "5",
                           "--out", "run"})
                  .code,
              0);
    ASSERT_EQ(
        workshop->sotto({"train", "--split-file", "s/split.bin", "--model", "toppop", "--out", "pop"}).code,
        0);
  }
  static void TearDownTestSuite() {
    delete workshop;
    workshop = nullptr;
  }
  // user → items of one part, from the split's text.
  static std::map<std::string, std::set<std::string>> part(const std::string& file) {
    std::map<std::string, std::set<std::string>> items;
    for (const auto& row : rows_of(workshop->get(file))) items[row[0]].insert(row[1]);
    return items;
  }

  static Workshop* workshop;
};
Workshop* CliAsk::workshop = nullptr;

TEST_F(CliAsk, evaluate_repeats_the_training_figures) {
  const auto metrics =
      workshop->sotto({"evaluate", "--run", "run", "--cutoffs", "5,10", "--json"}).json()["metrics"];
  const auto trained = nlohmann::json::parse(workshop->get("run/run.json"))["metrics"];
  EXPECT_EQ(metrics["P@10"], trained["P@10"]);
  EXPECT_EQ(metrics["nDCG@10"], trained["nDCG@10"]);
  EXPECT_TRUE(metrics.contains("HR@5"));
}

TEST_F(CliAsk, evaluate_writes_what_the_means_are_made_of) {
  const Outcome outcome = workshop->sotto({"evaluate", "--run", "run", "--per-user", "users.tsv", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto rows = rows_of(workshop->get("users.tsv"));
  ASSERT_EQ(rows[0][1], "P@10");
  double sum = 0.0;
  for (std::size_t n = 1; n < rows.size(); ++n) sum += std::stod(rows[n][1]);
  EXPECT_NEAR(sum / static_cast<double>(rows.size() - 1), outcome.json()["metrics"]["P@10"].get<double>(),
              1e-6);
}

TEST_F(CliAsk, evaluate_refuses_what_is_not_there) {
  EXPECT_EQ(workshop->sotto({"evaluate", "--run", "run", "--part", "validation"}).code, 2);
  EXPECT_EQ(workshop->sotto({"evaluate", "--run", "run", "--part", "dessert"}).code, 2);
  for (const char* flag : {"--per-user", "--qrels"}) {
    const Outcome both = workshop->sotto({"evaluate", "--run", "run", flag, "-", "--json"});
    EXPECT_EQ(both.code, 2);
    EXPECT_EQ(both.out, "");
    EXPECT_NE(both.err.find(std::string(flag) + " - and --json both write to stdout"), std::string::npos)
        << both.err;
  }
  const Outcome no_part = workshop->sotto(
      {"evaluate", "--recs", "none.tsv", "--split-file", "s/split.bin", "--part", "validation"});
  EXPECT_EQ(no_part.code, 2);
  EXPECT_NE(no_part.err.find("the split has no validation part"), std::string::npos) << no_part.err;
  EXPECT_EQ(workshop->sotto({"evaluate", "--run", "run", "--cutoffs", "0"}).code, 2);
  EXPECT_EQ(workshop->sotto({"evaluate", "--run", "w"}).code, 1);
}

// The lists, judged by hand, give the precision that train printed: no seen item, right ids, right order.
TEST_F(CliAsk, recommend_all_gives_the_lists_that_were_judged) {
  const Outcome outcome = workshop->sotto({"recommend", "--run", "run", "--all", "-n", "10"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto train = part("s/train.tsv"), test = part("s/test.tsv");
  double hits = 0.0;
  std::size_t lines = 0;
  for (const auto& row : rows_of(outcome.out)) {
    if (row[0] == "user") continue;
    ++lines;
    EXPECT_FALSE(train.at(row[0]).contains(row[2]));
    if (test.contains(row[0]) && test.at(row[0]).contains(row[2])) hits += 1.0;
  }
  EXPECT_EQ(lines, 1500u);
  const auto trained = nlohmann::json::parse(workshop->get("run/run.json"));
  const double judged = trained["judged_users"];
  EXPECT_NEAR(hits / (10.0 * judged), trained["metrics"]["P@10"].get<double>(), 1e-9);
}

TEST_F(CliAsk, recommend_for_one_for_a_file_and_for_all_agree) {
  const auto all = rows_of(workshop->sotto({"recommend", "--run", "run", "--all", "-n", "4"}).out);
  workshop->put("ids.txt", "person-00007\n\nperson-00003\n");
  ASSERT_EQ(
      workshop->sotto({"recommend", "--run", "run", "--users", "ids.txt", "-n", "4", "--out", "some.tsv"})
          .code,
      0);
  const auto some = rows_of(workshop->get("some.tsv"));
  ASSERT_EQ(some.size(), 9u);
  EXPECT_EQ(some[1], all[7 * 4 + 1]);
  EXPECT_EQ(some[5], all[3 * 4 + 1]);
  const auto json =
      workshop->sotto({"recommend", "--run", "run", "--user", "person-00007", "-n", "4", "--json"}).json();
  EXPECT_EQ(json["lists"][0]["user"], "person-00007");
  EXPECT_EQ(json["lists"][0]["items"][0]["item"], some[1][2]);
  EXPECT_EQ(json["lists"][0]["items"][0]["name"], some[1][4]);
  const Outcome table = workshop->sotto({"recommend", "--run", "run", "--user", "person-00007", "-n", "4"});
  EXPECT_NE(table.out.find(some[1][4]), std::string::npos) << table.out;
}

TEST_F(CliAsk, lists_are_shorter_where_no_more_is_left) {
  const Outcome outcome =
      workshop->sotto({"recommend", "--run", "run", "--user", "person-00007", "-n", "5000", "--json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("shorter"), std::string::npos);
  const std::size_t catalogue = nlohmann::json::parse(workshop->get("run/run.json"))["items"];
  const std::size_t seen = part("s/train.tsv").at("person-00007").size();
  EXPECT_EQ(outcome.json()["lists"][0]["items"].size(), catalogue - seen);
  const auto with_seen = workshop->sotto(
      {"recommend", "--run", "run", "--user", "person-00007", "-n", "5000", "--include-seen", "--json"});
  EXPECT_EQ(with_seen.json()["lists"][0]["items"].size(), catalogue);
}

TEST_F(CliAsk, somebody_new_gets_a_list_without_their_history) {
  const auto history = part("s/train.tsv").at("person-00007");
  Words words{"recommend", "--run", "run", "-n", "10", "--json", "--history"};
  words.insert(words.end(), history.begin(), history.end());
  const Outcome outcome = workshop->sotto(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto items = outcome.json()["lists"][0]["items"];
  ASSERT_EQ(items.size(), 10u);
  for (const auto& item : items) EXPECT_FALSE(history.contains(item["item"]));
  std::string lines;
  for (const std::string& item : history) lines += item + "\n";
  workshop->put("history.txt", lines);
  const auto from_file =
      workshop->sotto({"recommend", "--run", "run", "-n", "10", "--json", "--history-file", "history.txt"})
          .json();
  EXPECT_EQ(from_file["lists"][0]["items"], items);
}

TEST_F(CliAsk, unknown_ids_are_told_without_repeating_whose_they_are) {
  const Outcome user =
      workshop->sotto({"recommend", "--run", "run", "--user", "person-00001", "secret-person"});
  EXPECT_EQ(user.code, 1);
  EXPECT_NE(user.err.find("number 2"), std::string::npos) << user.err;
  EXPECT_EQ(user.err.find("secret"), std::string::npos) << user.err;
  workshop->put("h.txt", "venue-00001\nsecret-place\n");
  const Outcome history = workshop->sotto({"recommend", "--run", "run", "--history-file", "h.txt"});
  EXPECT_EQ(history.code, 1);
  EXPECT_NE(history.err.find("h.txt, line 2"), std::string::npos) << history.err;
  EXPECT_EQ(history.err.find("secret"), std::string::npos) << history.err;
}

TEST_F(CliAsk, recommend_wants_to_know_for_whom) {
  EXPECT_EQ(workshop->sotto({"recommend", "--run", "run"}).code, 2);
  EXPECT_EQ(workshop->sotto({"recommend", "--run", "run", "--all", "--user", "person-00001"}).code, 2);
  EXPECT_EQ(workshop->sotto({"recommend", "--run", "run", "--all", "-n", "0"}).code, 2);
}

TEST_F(CliAsk, similar_items_and_what_is_told_where_there_are_none) {
  const Outcome outcome =
      workshop->sotto({"similar", "--run", "run", "--item", "venue-00003", "-n", "5", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto items = outcome.json()["items"];
  ASSERT_EQ(items.size(), 5u);
  for (std::size_t n = 0; n < items.size(); ++n) {
    EXPECT_NE(items[n]["item"], "venue-00003");
    if (n > 0) {
      EXPECT_GE(items[n - 1]["likeness"], items[n]["likeness"]);
    }
  }
  const std::string name = rows_of(workshop->get("w/items.tsv"))[4][1];
  const Outcome unknown = workshop->sotto({"similar", "--run", "run", "--item", name});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.err.find("perhaps venue-"), std::string::npos) << unknown.err;
  EXPECT_EQ(workshop->sotto({"similar", "--run", "pop", "--item", "venue-00003"}).code, 2);
}

TEST_F(CliAsk, demo_ranks_the_models_and_leaves_a_run) {
  const Workshop shop;
  const Outcome outcome = shop.sotto({"demo", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto models = outcome.json()["models"];
  ASSERT_EQ(models.size(), 6u);
  const auto ndcg = [&](std::size_t n) { return models[n]["metrics"]["nDCG@10"].get<double>(); };
  for (std::size_t n : {1u, 2u}) EXPECT_GT(ndcg(n), 2.0 * ndcg(n - 1)) << "Random, Top-Pop, BPR-MF";
  EXPECT_GT(ndcg(3), ndcg(1)) << "FPL at π = 0.1 beats Top-Pop";
  EXPECT_GT(ndcg(4), ndcg(3));
  EXPECT_GT(ndcg(5), ndcg(4));
  EXPECT_EQ(shop.sotto({"recommend", "--run", "runs/demo", "--user", "person-00001"}).code, 0);
  const Outcome again = shop.sotto({"demo"});
  EXPECT_EQ(again.code, 0) << again.err;
  for (const char* part : {"BPR-MF", "π = 0.1", "recommends", "runs/demo"})
    EXPECT_NE(again.out.find(part), std::string::npos) << part;
}

TEST_F(CliAsk, demo_leaves_another_run_alone) {
  const std::string before = workshop->get("run/run.json");
  EXPECT_EQ(workshop->sotto({"demo", "--out", "run"}).code, 2);
  EXPECT_EQ(workshop->get("run/run.json"), before);
}

}  // namespace
}  // namespace sotto::cli
