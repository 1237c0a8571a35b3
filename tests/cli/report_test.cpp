// sotto report, with good and bad input. What a browser makes of it: tests/e2e.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

// Two runs on one small world.
void make_runs(const Workshop& shop) {
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "60", "--items", "80", "--out", "world"}).code, 0);
  for (const char* pi : {"0", "1"})
    ASSERT_EQ(shop.sotto({"train", "--data", "world", "--epochs", "1", "--factors", "4", "--pi", pi, "--out",
                          std::string("runs/pi-") + pi, "-q"})
                  .code,
              0);
}

TEST(CliReport, writes_page_and_plots_and_the_same_bytes_again) {
  const Workshop shop;
  make_runs(shop);
  const Outcome first = shop.sotto({"report", "runs", "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  const nlohmann::json told = first.json();
  EXPECT_EQ(told["page"], "runs/report.html");
  EXPECT_EQ(told["runs"], 2);
  EXPECT_TRUE(told["troubles"].empty());
  for (const auto& plot : told["plots"]) EXPECT_TRUE(shop.has(plot.get<std::string>())) << plot;
  EXPECT_TRUE(shop.has("runs/report/plots/f1-over-pi.svg"));
  const std::string page = shop.get("runs/report.html");
  ASSERT_EQ(shop.sotto({"report", "runs", "--threads", "1"}).code, 0);  // its own page is no run
  EXPECT_EQ(shop.get("runs/report.html"), page);
  // The papers' cost: the same as run.json says.
  const auto run = nlohmann::json::parse(shop.get("runs/pi-0/run.json"));
  EXPECT_GT(run["tcc_vectors"].get<double>(), 0.0);
}

TEST(CliReport, items_tsv_agrees_with_the_rest_of_the_run) {
  const Workshop shop;
  make_runs(shop);
  const auto rows = rows_of(shop.get("runs/pi-1/items.tsv"));
  ASSERT_EQ(rows.front(), (std::vector<std::string>{"item", "popularity", "recommended", "updates"}));
  const auto run = nlohmann::json::parse(shop.get("runs/pi-1/run.json"));
  EXPECT_EQ(rows.size() - 1, run["items"]);
  std::uint64_t popularity = 0, recommended = 0, updates = 0, covered = 0;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    popularity += std::stoull(rows[row][1]);
    recommended += std::stoull(rows[row][2]);
    updates += std::stoull(rows[row][3]);
    covered += rows[row][2] == "0" ? 0U : 1U;
  }
  EXPECT_EQ(popularity, run["train_interactions"]);
  EXPECT_EQ(recommended, 10 * run["judged_users"].get<std::uint64_t>());
  EXPECT_EQ(static_cast<double>(covered), run["metrics"]["IC@10"]);
  EXPECT_EQ(updates, 2 * run["triples"].get<std::uint64_t>());  // π = 1: both items of each triple
}

TEST(CliReport, one_run_alone_is_a_report_that_says_what_is_missing) {
  const Workshop shop;
  make_runs(shop);
  const Outcome outcome = shop.sotto({"report", "runs/pi-1", "--out", "sub/one.html", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(shop.has("sub/one.html"));
  EXPECT_TRUE(shop.has("sub/one/plots/users.svg"));
  const nlohmann::json told = outcome.json();
  EXPECT_TRUE(std::any_of(told["missing"].begin(), told["missing"].end(), [](const nlohmann::json& gap) {
    return gap["what"].get<std::string>().find("several π") != std::string::npos;
  }));
}

TEST(CliReport, a_stopped_run_is_left_out_and_said) {
  const Workshop shop;
  make_runs(shop);
  std::filesystem::remove(shop.folder() / "runs/pi-0/run.json");
  const Outcome outcome = shop.sotto({"report", "runs", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["runs"], 1);
  ASSERT_EQ(outcome.json()["troubles"].size(), 1U);
  EXPECT_NE(outcome.json()["troubles"][0].get<std::string>().find("stopped before its end"),
            std::string::npos);
}

TEST(CliReport, a_log_whose_loss_is_no_number_is_read) {
  const Workshop shop;
  make_runs(shop);
  shop.put("runs/pi-1/rounds.jsonl",
           "{\"epoch\":1,\"triples\":5,\"loss\":null,\"validation\":null}\n"
           "{\"epoch\":2,\"triples\":5,\"loss\":0.5,\"validation\":0.1}\n");
  const Outcome outcome = shop.sotto({"report", "runs", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["runs"], 2);
}

// What the page's "beats" column says: who is left after users were replaced.
TEST(CliReport, only_the_same_users_are_compared) {
  const Workshop shop;
  make_runs(shop);
  // Values far apart, so that the test would find a difference.
  const auto judged = [&shop](const std::string& run, const std::string& prefix, double value) {
    std::string text;
    for (const auto& row : rows_of(shop.get("runs/" + run + "/per_user.tsv"))) {
      const bool header = row.front() == "user";
      text += header ? row.front() : prefix + row.front();
      for (std::size_t column = 1; column < row.size(); ++column)
        text += "\t" + (header ? row[column]
                               : std::to_string(value + 1e-4 * static_cast<double>(text.size() %
                                                                                   (value > 0.5 ? 5 : 7))));
      text += "\n";
    }
    return text;
  };
  const std::string low = judged("pi-0", "", 0.1), high = judged("pi-1", "", 0.9);
  const std::string others = judged("pi-1", "x", 0.9);
  std::filesystem::remove_all(shop.folder() / "runs/pi-0");
  ASSERT_EQ(shop.sotto({"train", "--data", "world", "--model", "toppop", "--out", "runs/pop", "-q"}).code, 0);
  shop.put("runs/pop/per_user.tsv", low);
  shop.put("runs/pi-1/per_user.tsv", high);
  ASSERT_EQ(shop.sotto({"report", "runs", "--out", "same.html"}).code, 0);
  shop.put("runs/pi-1/per_user.tsv", others);
  ASSERT_EQ(shop.sotto({"report", "runs", "--out", "other.html"}).code, 0);
  // The letter stands in the last cell of its row.
  const std::string beats = "<span>b</span></td></tr>";
  EXPECT_NE(shop.get("same.html").find(beats), std::string::npos);
  EXPECT_EQ(shop.get("other.html").find(beats), std::string::npos);
}

TEST(CliReport, bad_input_is_one_sentence) {
  const Workshop shop;
  make_runs(shop);
  shop.put("empty/readme.txt", "nothing");
  shop.put("text.sqlite", "this is no database, though it has the name of one");
  std::string items = shop.get("runs/pi-1/items.tsv");
  shop.put("runs/pi-1/items.tsv", items.replace(items.find('\n') + 1, 0, "x\t1\n"));
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* says;
  };
  for (const Case& wrong :
       std::vector<Case>{{{"report", "none"}, 1, "there is no run directory"},
                         {{"report", "empty"}, 1, "is no run directory and holds none"},
                         {{"report", "text.sqlite"}, 1, "text.sqlite"},
                         {{"report", "runs/pi-1"}, 1, "items.tsv, line 2: 2 fields"},
                         {{"report", "runs/pi-0", "--out", "runs"}, 2, "is a folder"},
                         {{"report", "runs/pi-0", "--out", "page"}, 2, "write 'page.html'"},
                         {{"report"}, 2, "DIR is required"}}) {
    const Outcome outcome = shop.sotto(wrong.words);
    EXPECT_EQ(outcome.code, wrong.code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(wrong.says), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_FALSE(shop.has("page"));
}

}  // namespace
}  // namespace sotto::cli
