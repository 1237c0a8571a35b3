// sotto sweep and results: studies that run, stop, go on and fail, and what can be asked of them afterwards.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

const std::string head = R"(name = "small"
seeds = [1, 2]
[[dataset]]
name = "world"
paths = ["w.tsv"]
names = ["w.items.tsv"]
)";
const std::string fpl = R"([[model]]
label = "sFPL+"
federation.variant = "sfpl+"
model.epochs = 3
model.factors = 4
grid = { "consent.pi" = [0.0, 0.5, 1.0] }
)";
const std::string toppop = "[[model]]\nmodel.name = \"toppop\"\n";

class CliSweep : public ::testing::Test {
 protected:
  CliSweep() {
    EXPECT_EQ(
        shop_.sotto({"data", "generate", "--users", "60", "--items", "80", "--mean", "15", "--out", "w.tsv"})
            .code,
        0);
    shop_.put("s.toml", head + fpl + toppop);
  }
  [[nodiscard]] Outcome sweep(const Words& more) const {
    return shop_.sotto(joined({"sweep", "s.toml", "--quiet"}, more));
  }
  [[nodiscard]] std::string exported(const std::string& file) const {
    const Outcome tsv = shop_.sotto({"results", "export", file});
    EXPECT_EQ(tsv.code, 0) << tsv.err;
    const Outcome json =
        shop_.sotto({"results", "export", file, "--format", "json", "--per-user", "--items"});
    EXPECT_EQ(json.code, 0) << json.err;
    return tsv.out + json.out;
  }

  Workshop shop_;
};

TEST_F(CliSweep, runs_once_and_finds_everything_the_second_time) {
  const Outcome first = sweep({"--out", "r", "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.json()["cells"], 8);
  EXPECT_EQ(first.json()["computed"], 7);  // Top-Pop is the same for both seeds
  const std::string before = exported("r");
  const Outcome second = sweep({"--out", "r", "--json"});
  EXPECT_EQ(second.json()["computed"], 0);
  EXPECT_EQ(second.json()["found"], 8);
  EXPECT_EQ(exported("r"), before);
}

TEST_F(CliSweep, the_export_does_not_depend_on_threads) {
  ASSERT_EQ(sweep({"--out", "a", "--threads", "1"}).code, 0);
  ASSERT_EQ(sweep({"--out", "b", "--threads", "4"}).code, 0);
  EXPECT_EQ(exported("a"), exported("b"));
}

TEST_F(CliSweep, a_cell_equals_a_run) {
  ASSERT_EQ(sweep({"--out", "r"}).code, 0);
  const auto run = shop_
                       .sotto({"train", "--data", "w.tsv", "--variant", "sfpl+", "--epochs", "3", "--factors",
                               "4", "--pi", "0.5", "--seed", "2", "--json"})
                       .json();
  const auto cells =
      shop_.sotto({"results", "export", "r", "--json", "--where", "consent.pi=0.5", "--where", "seed=2"})
          .json();
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0]["model_hash"], run["model_hash"]);
  EXPECT_EQ(cells[0]["metrics"], run["metrics"]);
  EXPECT_EQ(cells[0]["bytes_up"], run["bytes_up"]);
  EXPECT_EQ(cells[0]["tcc_vectors"], run["tcc_vectors"]);
  EXPECT_FALSE(cells[0].contains("seconds"));
  EXPECT_FALSE(cells[0]["category_bias"].empty());
}

TEST_F(CliSweep, a_dry_run_counts_and_leaves_nothing) {
  const Outcome plan = sweep({"--dry-run", "--out", "r", "--json"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_EQ(plan.json()["cells"], 8);
  EXPECT_FALSE(shop_.has("r"));
  EXPECT_EQ(sweep({"--dry-run"}).code, 0);
}

// A study that takes seconds, so that there is time to stop it.
const std::string slow = R"([[model]]
label = "slow"
federation.variant = "sfpl"
model.epochs = 500
grid = { "consent.pi" = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], "model.factors" = [8, 16] }
[search]
metric = "P@10"
)";

class CliSweepStop : public CliSweep, public ::testing::WithParamInterface<int> {};

TEST_P(CliSweepStop, a_stopped_sweep_goes_on_to_the_same_export) {
  shop_.put("s.toml", head + slow);
  ASSERT_EQ(sweep({"--out", "whole"}).code, 0);
  const pid_t process = shop_.start({"sweep", "s.toml", "--quiet", "--out", "cut", "--threads", "2"});
  // Until some cells, not all, are in the file.
  std::size_t finished = 0;
  for (int tries = 0; tries < 2000 && finished < 2; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!shop_.has("cut")) continue;
    const Workshop beside;  // its own folder for stdout, so that the sweep's is left alone
    const Outcome list = beside.sotto({"results", "list", (shop_.folder() / "cut").string(), "--json"});
    if (list.code == 0) finished = list.json().size();
  }
  ::kill(process, GetParam());
  const Outcome stopped = shop_.finish(process);
  EXPECT_EQ(stopped.code, GetParam() == SIGKILL ? 128 + SIGKILL : 130) << stopped.err;
  if (GetParam() != SIGKILL) {
    EXPECT_NE(stopped.err.find("go on with: sotto sweep s.toml --out cut"), std::string::npos) << stopped.err;
  }
  const Outcome rest = sweep({"--out", "cut", "--json"});
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_GE(rest.json()["found"], 2);
  EXPECT_GT(rest.json()["computed"], 0);
  EXPECT_EQ(exported("cut"), exported("whole"));
}

INSTANTIATE_TEST_SUITE_P(Signals, CliSweepStop, ::testing::Values(SIGINT, SIGTERM, SIGKILL));

TEST_F(CliSweep, a_failing_cell_is_recorded_and_the_sweep_goes_on) {
  shop_.put("s.toml", head + toppop + R"([[model]]
label = "BPR"
model.name = "bprmf"
model.epochs = 3
grid = { "model.lr" = [0.05, 1e20] }
)");
  const Outcome outcome = sweep({"--out", "r", "--json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("2 of 6 cells failed"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.json()["failures"].size(), 2u);
  const auto failed = shop_.sotto({"results", "list", "r", "--status", "failed", "--json"}).json();
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_NE(failed[0]["status"].get<std::string>().find("diverged"), std::string::npos);
  EXPECT_EQ(shop_.sotto({"results", "list", "r", "--status", "done", "--json"}).json().size(), 4u);
  EXPECT_EQ(sweep({"--out", "r", "--json"}).json()["computed"], 0);
  EXPECT_EQ(sweep({"--out", "r", "--retry-failed", "--json"}).json()["computed"], 2);
}

TEST_F(CliSweep, bad_studies_are_refused_before_anything_runs) {
  struct Case {
    std::string study;
    int code;
    const char* says;
  };
  const std::vector<Case> cases{
      {head + toppop + "grids = 1\n", 2, "s.toml, line 9: grids: unknown key"},
      {head + toppop + "grid = { \"knn.neighbors\" = [] }\n", 2,
       "s.toml, line 9: knn.neighbors: an empty grid"},
      {head + toppop + "[search]\nmetric = \"Luck@10\"\n", 2, "there is no metric 'Luck@10'"},
      {head + "paths = [\"w.tsv\"]\n" + toppop, 2, "s.toml, line 7"},
      {"name = \"x\"\n[[dataset]]\nname = \"d\"\npaths = [\"gone.tsv\"]\n" + toppop, 1, "s.toml, line 2: "},
      {head, 2, "[[model]]"},
  };
  for (const Case& wrong : cases) {
    shop_.put("s.toml", wrong.study);
    const Outcome outcome = sweep({"--out", "bad", "--json"});
    EXPECT_EQ(outcome.code, wrong.code) << outcome.err;
    EXPECT_NE(outcome.err.find(wrong.says), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(shop_.has("bad")) << wrong.study;
  }
  shop_.put("s.toml", head + toppop);
  EXPECT_EQ(sweep({}).code, 2);  // no --out
  // Said before the data, which is not there, is read.
  shop_.put("s.toml", "name = \"x\"\n[[dataset]]\nname = \"d\"\npaths = [\"gone.tsv\"]\n" + toppop);
  shop_.put("folder/notes.txt", "mine");
  for (const auto& [out, says] :
       {std::pair("none/r", "there is no folder 'none'"), {"folder", "is a folder"}}) {
    const Outcome outcome = sweep({"--out", out});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
}

TEST_F(CliSweep, a_file_that_is_no_results_file_is_refused_and_stays) {
  shop_.put("notes.txt", "my notes, which are long enough to be no database at all");
  for (const Words& words :
       std::vector<Words>{{"sweep", "s.toml", "--out", "notes.txt"}, {"results", "list", "notes.txt"}}) {
    const Outcome outcome = shop_.sotto(words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("notes.txt"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(shop_.get("notes.txt"), "my notes, which are long enough to be no database at all");
}

TEST_F(CliSweep, results_of_another_version_are_refused) {
  ASSERT_EQ(sweep({"--out", "r"}).code, 0);
  std::string bytes = shop_.get("r");
  bytes[63] = 99;  // the last byte of SQLite's user_version
  shop_.put("r", bytes);
  for (const Words& words : std::vector<Words>{{"sweep", "s.toml", "--out", "r"}, {"results", "best", "r"}}) {
    const Outcome outcome = shop_.sotto(words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("version 99"), std::string::npos) << outcome.err;
  }
}

TEST_F(CliSweep, results_are_filtered_gathered_and_formatted) {
  ASSERT_EQ(sweep({"--out", "r"}).code, 0);
  const auto means = shop_.sotto({"results", "means", "r", "--where", "model=sFPL+", "--json"}).json();
  ASSERT_EQ(means.size(), 3u);
  const auto cells = shop_.sotto({"results", "list", "r", "--where", "consent.pi=0.50", "--json"}).json();
  ASSERT_EQ(cells.size(), 2u);
  const double mean = (cells[0]["P@10"].get<double>() + cells[1]["P@10"].get<double>()) / 2;
  EXPECT_NEAR(means[1]["P@10"].get<double>(), mean, 1e-12);
  EXPECT_NEAR(means[1]["P@10 sd"].get<double>(),
              std::abs(cells[0]["P@10"].get<double>() - cells[1]["P@10"].get<double>()) / std::sqrt(2.0),
              1e-12);

  const auto best = shop_.sotto({"results", "best", "r", "--sort", "R@10", "--json"}).json();
  ASSERT_EQ(best.size(), 2u);
  double highest = 0.0;
  for (const auto& row : means) highest = std::max(highest, row["R@10"].get<double>());
  for (const auto& row : best) {
    if (row["model"] != "sFPL+") continue;
    EXPECT_EQ(row["R@10"].get<double>(), highest);
  }

  const auto rows = rows_of(shop_.sotto({"results", "export", "r"}).out);
  ASSERT_EQ(rows.size(), 9u);
  EXPECT_EQ(rows[0].front(), "study");
  EXPECT_EQ(std::set(rows[0].begin(), rows[0].end()).count("seconds"), 0u);
  const auto curves = rows_of(shop_.sotto({"results", "curves", "r", "--format", "tsv"}).out);
  EXPECT_EQ(curves.size(), 1u + 6u * 3u);
  EXPECT_NE(shop_.sotto({"results", "best", "r", "--format", "latex"}).out.find("\\begin{tabular}"),
            std::string::npos);
  EXPECT_NE(shop_.sotto({"results", "best", "r", "--format", "markdown"}).out.find("|"), std::string::npos);
  EXPECT_NE(shop_.sotto({"results", "best", "r"}).out.find("±"), std::string::npos);

  EXPECT_EQ(shop_.sotto({"results", "list", "r", "--where", "colour=red"}).code, 2);
  EXPECT_EQ(shop_.sotto({"results", "list", "r", "--where", "model"}).code, 2);
  EXPECT_EQ(shop_.sotto({"results", "list", "r", "--metrics", "P@11"}).code, 2);
  EXPECT_EQ(shop_.sotto({"results", "list", "r", "--format", "word"}).code, 2);
  EXPECT_EQ(shop_.sotto({"results", "export", "r", "--per-user"}).code, 2);
}

TEST_F(CliSweep, the_best_has_the_least_where_less_is_better) {
  ASSERT_EQ(sweep({"--out", "r"}).code, 0);
  const Outcome even = shop_.sotto({"results", "best", "r", "--sort", "ARP@10", "--json"});
  EXPECT_NE(even.err.find("chosen on the test part"), std::string::npos) << even.err;
  const Outcome one = shop_.sotto({"results", "best", "r", "--where", "consent.pi=0.5"});
  EXPECT_EQ(one.err, "");  // nothing competed
  // Less is better: the least of sFPL+ wins, and the rows begin with the least.
  const auto leaning =
      shop_.sotto({"results", "means", "r", "--metrics", "ARP@10", "--sort", "ARP@10", "--json"}).json();
  ASSERT_EQ(leaning.size(), 4u);
  double before = 0.0;
  for (const auto& row : leaning) {
    EXPECT_GE(row["ARP@10"].get<double>(), before);
    before = row["ARP@10"].get<double>();
  }
  const Outcome best_even =
      shop_.sotto({"results", "best", "r", "--metrics", "ARP@10", "--where", "model=sFPL+", "--json"});
  double least = 1e300;
  for (const auto& row : leaning)
    if (row["model"] == "sFPL+") least = std::min(least, row["ARP@10"].get<double>());
  EXPECT_EQ(best_even.json()[0]["ARP@10"].get<double>(), least);
  // Nothing leans more towards the popular than Top-Pop, so the other model's value is the bold one.
  const std::string marked =
      shop_.sotto({"results", "best", "r", "--metrics", "ARP@10", "--format", "markdown"}).out;
  const std::size_t line = marked.find("Top-Pop");
  ASSERT_NE(line, std::string::npos) << marked;
  EXPECT_NE(marked.find("**"), std::string::npos) << marked;
  EXPECT_EQ(marked.substr(line, marked.find('\n', line) - line).find("**"), std::string::npos) << marked;
}

}  // namespace
}  // namespace sotto::cli
