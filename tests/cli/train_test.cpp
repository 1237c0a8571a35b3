// sotto train and show: one run, its directory, stopping and going on.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliTrain : public ::testing::Test {
 protected:
  CliTrain() {
    EXPECT_EQ(
        shop_.sotto({"data", "generate", "--users", "120", "--items", "100", "--mean", "20", "--out", "w"})
            .code,
        0);
  }
  [[nodiscard]] Outcome train(const Words& more) const {
    return shop_.sotto(joined({"train", "--data", "w", "--epochs", "3"}, more));
  }

  Workshop shop_;
};

TEST_F(CliTrain, json_has_the_promised_fields) {
  const Outcome outcome = train({"--pi", "0.5", "--cutoffs", "1,10", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  ASSERT_TRUE(json.is_object()) << outcome.out;
  for (const char* key : {"model_hash", "metrics", "users", "items", "train_interactions",
                          "test_interactions", "seconds", "triples_per_second", "bytes_up", "bytes_down"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["users"], 120);
  EXPECT_GT(json["bytes_up"], 0);
  for (const char* name : {"P@1", "P@10", "R@10", "F1@10", "HR@10", "nDCG@10", "IC@10", "Gini@10", "SE@10",
                           "ACLT@10", "PopREO@10", "PopRSP@10"})
    EXPECT_TRUE(json["metrics"].contains(name)) << name;
}

TEST_F(CliTrain, every_model_trains) {
  for (const char* model : {"fpl", "bprmf", "toppop", "random", "userknn", "itemknn", "ease", "slim",
                            "rp3beta", "fedease", "feditemknn", "fedrp3beta"}) {
    const Outcome outcome = shop_.sotto({"train", "--data", "w", "--model", model, "--json"});
    EXPECT_EQ(outcome.code, 0) << model << ": " << outcome.err;
    EXPECT_EQ(outcome.json()["model"], model);
  }
}

TEST_F(CliTrain, the_model_does_not_depend_on_threads_or_the_wire) {
  // Enough people for three shards.
  ASSERT_EQ(
      shop_.sotto({"data", "generate", "--users", "400", "--items", "150", "--out", "crowd.split"}).code, 0);
  const auto hash = [&](const Words& more) {
    const Words words{"train", "--split-file", "crowd.split", "--cohort", "0.6", "--epochs",
                      "3",     "--factors",    "6",           "--json"};
    return shop_.sotto(joined(words, more)).json()["model_hash"].get<std::string>();
  };
  const std::string one = hash({"--threads", "1"});
  EXPECT_EQ(one, hash({"--threads", "3"}));
  EXPECT_EQ(one, hash({"--wire"}));
  EXPECT_NE(one, hash({"--seed", "2"}));
}

TEST_F(CliTrain, a_plan_makes_the_run_again_and_flags_win_over_it) {
  const auto first = train({"--variant", "pfpl", "--pi", "0.4", "--out", "run", "--json"}).json();
  const auto again = shop_.sotto({"train", "--plan", "run/plan.toml", "--json"}).json();
  EXPECT_EQ(first["model_hash"], again["model_hash"]);
  EXPECT_EQ(first["metrics"], again["metrics"]);
  const auto other = shop_.sotto({"train", "--plan", "run/plan.toml", "--pi", "1", "--json"}).json();
  EXPECT_NE(first["model_hash"], other["model_hash"]);
  EXPECT_EQ(other["variant"], "pfpl");
}

TEST_F(CliTrain, what_another_model_leaves_out_of_a_plan_is_reported) {
  ASSERT_EQ(train({"--pi", "0.4", "--lr", "0.1", "--out", "run"}).code, 0);
  const Outcome other = shop_.sotto({"train", "--plan", "run/plan.toml", "--model", "itemknn", "--json"});
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_NE(other.err.find("itemknn has no "), std::string::npos) << other.err;
  for (const char* key : {"model.lr", "consent.pi", "run/plan.toml"})
    EXPECT_NE(other.err.find(key), std::string::npos) << other.err;
  const Outcome same = shop_.sotto({"train", "--plan", "run/plan.toml", "--model", "fpl", "--json"});
  EXPECT_EQ(same.err.find("has no"), std::string::npos) << same.err;
}

TEST_F(CliTrain, a_saved_split_gives_the_same_model) {
  ASSERT_EQ(shop_.sotto({"data", "split", "w", "--out", "s.bin"}).code, 0);
  const auto direct = train({"--json"}).json();
  const auto saved = shop_.sotto({"train", "--split-file", "s.bin", "--epochs", "3", "--json"}).json();
  EXPECT_EQ(direct["model_hash"], saved["model_hash"]);
  EXPECT_EQ(direct["split_hash"], saved["split_hash"]);
}

TEST_F(CliTrain, a_run_is_not_overwritten_unless_told) {
  ASSERT_EQ(train({"--out", "run"}).code, 0);
  const std::string before = shop_.get("run/run.json");
  EXPECT_EQ(train({"--out", "run", "--seed", "2"}).code, 2);
  EXPECT_EQ(shop_.get("run/run.json"), before);
  EXPECT_EQ(train({"--out", "run", "--seed", "2", "--force"}).code, 0);
  EXPECT_NE(shop_.get("run/run.json"), before);
}

TEST_F(CliTrain, bad_requests_leave_nothing_behind) {
  struct Case {
    Words words;
    int code;
    const char* hint;
  };
  const std::vector<Case> cases{{{"--pi", "1.5"}, 2, "pi"},
                                {{"--factors", "0"}, 2, "factors"},
                                {{"--model", "magic"}, 2, "bprmf"},
                                {{"--variant", "xfpl"}, 2, "sfpl"},
                                {{"--mask", "none"}, 2, "sticky"},
                                {{"--split", "temporal:2"}, 2, "temporal"},
                                {{"--cutoffs", "0"}, 2, "cut-off"},
                                {{"--early-stop", "nDCG@10"}, 2, "--validation"},
                                {{"--min-user", "100000"}, 1, "100000"},
                                {{"--split-file", "s.bin"}, 2, "--split-file"}};
  for (const Case& wrong : cases) {
    const Outcome outcome = train(joined(wrong.words, {"--out", "bad", "--json"}));
    EXPECT_EQ(outcome.code, wrong.code) << wrong.words[0] << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(wrong.hint), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(shop_.has("bad")) << wrong.words[0];
  }
  EXPECT_EQ(shop_.sotto({"train"}).code, 2);
  EXPECT_EQ(shop_.sotto({"train", "--resume"}).code, 2);
}

TEST_F(CliTrain, early_stopping_keeps_the_best_epoch) {
  const Outcome outcome =
      shop_.sotto({"train", "--data", "w", "--epochs", "40", "--lr", "0.3", "--validation", "0.2",
                   "--early-stop", "nDCG@10", "--patience", "1", "--out", "run", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  double best = -1.0;
  int best_epoch = 0, last_epoch = 0;
  std::istringstream lines(shop_.get("run/rounds.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    last_epoch = json["epoch"];
    if (!json.contains("validation") || json["validation"] <= best) continue;
    best = json["validation"];
    best_epoch = last_epoch;
  }
  EXPECT_EQ(outcome.json()["best_epoch"], best_epoch);
  EXPECT_TRUE(last_epoch == best_epoch + 1 || last_epoch == 40);
}

// A run that takes seconds, so that there is time to stop it.
const Words long_run{"train", "--data", "w", "--variant", "sfpl", "--epochs", "300", "--quiet"};

// Waits until the run has written a checkpoint; false if it ended before.
bool wait_for(const Workshop& shop, const std::string& file) {
  for (int tries = 0; tries < 2000 && !shop.has(file); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return shop.has(file);
}

class CliStop : public CliTrain, public ::testing::WithParamInterface<int> {};

TEST_P(CliStop, a_stopped_run_goes_on_to_the_same_bytes) {
  ASSERT_EQ(shop_.sotto(joined(long_run, {"--out", "whole"})).code, 0);
  const pid_t process = shop_.start(joined(long_run, {"--out", "cut", "--checkpoint-seconds", "0.01"}));
  ASSERT_TRUE(wait_for(shop_, "cut/checkpoint.bin"));
  ::kill(process, GetParam());
  const Outcome stopped = shop_.finish(process);
  EXPECT_EQ(stopped.code, GetParam() == SIGKILL ? 128 + SIGKILL : 130);
  ASSERT_FALSE(shop_.has("cut/run.json"));
  if (GetParam() != SIGKILL) {
    EXPECT_NE(stopped.err.find("sotto train --resume --out cut"), std::string::npos) << stopped.err;
  }
  EXPECT_NE(shop_.sotto({"show", "cut"}).out.find("--resume"), std::string::npos);
  EXPECT_EQ(shop_.sotto({"recommend", "--run", "cut", "--all"}).code, 1);
  EXPECT_EQ(shop_.sotto({"train", "--resume", "--out", "cut", "--seed", "9"}).code, 2);
  ASSERT_EQ(shop_.sotto({"train", "--resume", "--out", "cut"}).code, 0);
  for (const char* file : {"model.bin", "devices.bin", "rounds.jsonl", "metrics.json", "per_user.tsv"})
    EXPECT_TRUE(shop_.get(std::string("whole/") + file) == shop_.get(std::string("cut/") + file)) << file;
  EXPECT_FALSE(shop_.has("cut/checkpoint.bin"));
}

INSTANTIATE_TEST_SUITE_P(Signals, CliStop, ::testing::Values(SIGINT, SIGTERM, SIGKILL));

TEST_F(CliTrain, show_tells_a_run_and_refuses_what_is_none) {
  ASSERT_EQ(train({"--out", "run"}).code, 0);
  const Outcome text = shop_.sotto({"show", "run"});
  EXPECT_EQ(text.code, 0);
  for (const char* part : {"model hash", "nDCG", "loss", "plan.toml", "epochs = 3"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part;
  const auto json = shop_.sotto({"show", "run", "--json"}).json();
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["summary"]["users"], 120);
  EXPECT_EQ(shop_.sotto({"show", "w"}).code, 1);
  EXPECT_EQ(shop_.sotto({"train", "--resume", "--out", "w"}).code, 1);
}

TEST_F(CliTrain, a_run_of_another_version_is_refused) {
  ASSERT_EQ(train({"--out", "run"}).code, 0);
  auto json = nlohmann::json::parse(shop_.get("run/run.json"));
  json["format"] = 999;
  shop_.put("run/run.json", json.dump());
  const Outcome outcome = shop_.sotto({"recommend", "--run", "run", "--all"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("999"), std::string::npos) << outcome.err;
}

TEST_F(CliTrain, show_advises_to_go_on_only_where_that_can_be) {
  ASSERT_EQ(train({"--out", "run"}).code, 0);
  std::filesystem::remove(shop_.folder() / "run/run.json");
  EXPECT_NE(shop_.sotto({"show", "run"}).out.find("go on with: sotto train --resume --out run"),
            std::string::npos);
  shop_.put("run/checkpoint.bin", std::string("SOCK\x03\0\0\0", 8) + std::string(100, '0'));
  const std::string old = shop_.sotto({"show", "run"}).out;
  EXPECT_EQ(old.find("--resume"), std::string::npos) << old;
  EXPECT_NE(old.find("it cannot go on: "), std::string::npos) << old;
  EXPECT_NE(old.find("start the run again with --force"), std::string::npos) << old;
}

}  // namespace
}  // namespace sotto::cli
