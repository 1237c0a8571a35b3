// `sotto train --model fedavg` from examples to a judged model, as a person runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

// A logistic regression on made-up digits: seconds, not minutes.
const Words small{"train", "--model",  "fedavg",   "--generate", "--examples", "1200",     "--devices",
                  "12",    "--cohort", "0.5",      "--network",  "dense",      "--hidden", "",
                  "--lr",  "0.2",      "--rounds", "8",          "--threads",  "2"};

// The same but for these words, and without those that are `left_out`.
Words small_with(const Words& more, const Words& left_out = {}) {
  Words words{small[0], small[1], small[2]};
  for (std::size_t n = 3; n < small.size(); ++n) {
    const bool takes_value = n + 1 < small.size() && !small[n + 1].starts_with("--");
    const auto is_in = [&](const Words& list) {
      return std::find(list.begin(), list.end(), small[n]) != list.end();
    };
    if (!is_in(more) && !is_in(left_out)) {
      words.push_back(small[n]);
      if (takes_value) words.push_back(small[n + 1]);
    }
    n += takes_value ? 1 : 0;
  }
  return joined(words, more);
}

TEST(Fedavg, LearnsAndTellsHowFarDevicesAre) {
  const Workshop shop;
  const Outcome outcome = shop.sotto(small_with({"--criteria", "DS>LD>MW", "--json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["rounds"], 8);
  EXPECT_EQ(json["parameters"], 28 * 28 * 10 + 10);
  EXPECT_EQ(json["devices"], 12);
  EXPECT_EQ(json["cohort"], 6);
  ASSERT_EQ(json["accuracy"].size(), 8u);
  EXPECT_GT(json["best"]["accuracy"], 0.3);  // guessing gets a tenth
  EXPECT_EQ(json["accuracy"][0]["deciles"].size(), 9u);
  EXPECT_EQ(json["rounds_until"].size(), 5u);
  EXPECT_LT(json["weights"]["least"], 1.0);
  EXPECT_GT(json["weights"]["most"], 1.0);
  // Six devices send 491 rows of sixteen numbers a round, at least a byte each.
  EXPECT_GT(json["bytes_up"], 8 * 6 * 28 * 28 * 10);
  const Outcome text = shop.sotto(small_with({"--until", "10%@20%"}));
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("10%@20%: reached"), std::string::npos) << text.out;
  EXPECT_EQ(json["score"], "prioritized");
}

TEST(Fedavg, ThreadsAndSecureSumsGiveTheSameModel) {
  const Workshop shop;
  const auto words = [](const std::string& order, const std::string& threads) {
    return small_with(
        {"--criteria", order, "--rounds", "2", "--cohort", "1", "--threads", threads, "--json"});
  };
  const auto two = shop.sotto(words("MW>DS", "2")).json();
  const auto one = shop.sotto(words("MW>DS", "1")).json();
  const auto secure = shop.sotto(joined(words("MW>DS", "2"), {"--sum", "shares"})).json();
  ASSERT_TRUE(two.contains("model_hash")) << two.dump();
  EXPECT_EQ(two["model_hash"], one["model_hash"]);
  EXPECT_EQ(two["model_hash"], secure["model_hash"]);
  EXPECT_EQ(two["accuracy"], secure["accuracy"]);
  EXPECT_NE(two["model_hash"], shop.sotto(words("DS>MW", "2")).json()["model_hash"]);
}

// As a task over a network must have: the largest hand, given by hand, is what the simulation knows anyway.
TEST(Fedavg, ABoundOfExamplesSaysWhoCountsFully) {
  const Workshop shop;
  const auto hash = [&](const Words& bound) {
    const Outcome run =
        shop.sotto(small_with(joined({"--criteria", "DS", "--rounds", "2", "--json"}, bound)));
    EXPECT_EQ(run.code, 0) << run.err;
    return run.json()["model_hash"];
  };
  EXPECT_EQ(hash({"--size-bound", "84"}), hash({})) << "a thousand examples on twelve devices";
  EXPECT_NE(hash({"--size-bound", "83"}), hash({}));
  const Outcome alone = shop.sotto(small_with({"--criteria", "LD", "--size-bound", "9"}));
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("for the criterion size"), std::string::npos) << alone.err;
  EXPECT_EQ(shop.sotto(small_with({"--criteria", "DS", "--size-bound", "0"})).code, 2);
}

TEST(Fedavg, ARunIsKeptAndMadeAgainByItsPlan) {
  const Workshop shop;
  const Outcome kept = shop.sotto(small_with({"--rounds", "3", "--out", "run", "--json"}));
  ASSERT_EQ(kept.code, 0) << kept.err;
  for (const char* file :
       {"plan.toml", "rounds.jsonl", "model.bin", "metrics.json", "per_user.tsv", "run.json"})
    EXPECT_TRUE(shop.has(std::string("run/") + file)) << file;
  for (const char* file : {"checkpoint.bin", "split.bin", "items.tsv"})
    EXPECT_FALSE(shop.has(std::string("run/") + file)) << file;
  const auto again = shop.sotto({"train", "--plan", "run/plan.toml", "--json"}).json();
  EXPECT_EQ(again["model_hash"], kept.json()["model_hash"]);
  EXPECT_EQ(shop.sotto(small_with({"--out", "run"})).code, 2);  // not overwritten
  EXPECT_EQ(shop.sotto(small_with({"--rounds", "1", "--out", "run", "--force"})).code, 0);
  const Outcome whole = shop.sotto({"fedavg", "--resume", "--out", "run", "--json"});
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.json()["rounds"], 1);
  shop.put("other/plan.toml", "");
  EXPECT_EQ(shop.sotto(small_with({"--out", "other"})).code, 2);
}

// The commands that read runs read these as they read a recommender's.
TEST(Fedavg, RunsAreShownComparedAndReported) {
  const Workshop shop;
  const Outcome first = shop.sotto(small_with({"--out", "runs/plain", "--json"}));
  const Outcome second = shop.sotto(small_with({"--criteria", "DS>LD", "--out", "runs/weighed", "--json"}));
  ASSERT_EQ(second.code, 0) << second.err;
  // The metric is the last look's accuracy, and the mean of the devices' own ones by their examples.
  EXPECT_EQ(first.json()["metrics"]["Accuracy"], first.json()["accuracy"].back()["accuracy"]);
  const Outcome shown = shop.sotto({"show", "runs/weighed"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  for (const char* part : {"size>diversity", "accuracy", "network = 'dense'", "per_user.tsv"})
    EXPECT_NE(shown.out.find(part), std::string::npos) << part << shown.out;
  const Outcome compared = shop.sotto({"compare", "runs/plain", "runs/weighed", "--json"});
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(compared.json()["metrics"][0], "Accuracy") << compared.out;
  EXPECT_EQ(compared.json()["users"], 12);
  const Outcome report = shop.sotto({"report", "runs"});
  ASSERT_EQ(report.code, 0) << report.err;
  const std::string page = shop.get("runs/report.html");
  for (const char* part : {"Accuracy", "12 devices", "generated examples"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  const Outcome recommend = shop.sotto({"evaluate", "--run", "runs/plain"});
  EXPECT_EQ(recommend.code, 2);
  EXPECT_NE(recommend.err.find("recommends nothing"), std::string::npos) << recommend.err;
}

TEST(Fedavg, AStudySearchesItsSettings) {
  const Workshop shop;
  shop.put("study.toml",
           "name = \"rates\"\nseeds = [1, 2]\n[search]\nmetric = \"Accuracy\"\nvalidation_share = 0.2\n"
           "[[dataset]]\nname = \"digits\"\ngenerate = true\nexamples = 600\ndevices = 6\n"
           "[[model]]\nlabel = \"averaged\"\nmodel = { name = \"fedavg\" }\n"
           "neural = { network = 'dense', hidden = [] }\naveraging = { rounds = 3 }\n"
           "federation = { cohort = 0.5 }\ngrid = { \"model.lr\" = [0.0001, 0.3] }\n");
  const Outcome swept = shop.sotto({"sweep", "study.toml", "--out", "results.sqlite", "--quiet", "--json"});
  ASSERT_EQ(swept.code, 0) << swept.err;
  const Outcome report = shop.sotto({"report", "results.sqlite"});
  ASSERT_EQ(report.code, 0) << report.err;
  EXPECT_NE(shop.get("results-report.html").find("Accuracy"), std::string::npos);
}

TEST(Fedavg, ARefusedPlanDoesNotStandInTheWayOfTheNext) {
  const Workshop shop;
  EXPECT_EQ(shop.sotto(small_with({"--rounds", "1", "--out", "run", "--cohort", "1.5"})).code, 2);
  EXPECT_EQ(shop.sotto(small_with({"--rounds", "1", "--out", "run", "--hidden", "0"})).code, 2);
  const Outcome good = shop.sotto(small_with({"--rounds", "1", "--out", "run"}));
  EXPECT_EQ(good.code, 0) << good.err;
}

TEST(Fedavg, StoppedAndResumedItEndsTheSame) {
  const Workshop shop;
  const Words words = small_with({"--rounds", "40", "--checkpoint-seconds", "0", "--json"});
  const auto undisturbed = shop.sotto(words).json();
  const pid_t process = shop.start(joined(words, {"--out", "run"}));
  while (!shop.has("run/checkpoint.bin")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(process, SIGINT);
  const Outcome stopped = shop.finish(process);
  // On a fast machine it may have ended before the signal came: then there is nothing left to go on with.
  ASSERT_TRUE(stopped.code == 130 || stopped.code == 0) << stopped.err;
  if (stopped.code == 130) {
    EXPECT_NE(stopped.err.find("--resume --out run"), std::string::npos) << stopped.err;
  }
  EXPECT_EQ(shop.sotto({"train", "--resume", "--out", "run", "--lr", "0.3"}).code, 2);
  const Outcome resumed = shop.sotto({"train", "--resume", "--out", "run", "--json"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(resumed.json()["model_hash"], undisturbed["model_hash"]);
  EXPECT_EQ(resumed.json()["accuracy"], undisturbed["accuracy"]);
  EXPECT_EQ(resumed.json()["bytes_up"], undisturbed["bytes_up"]);
}

// Without a card, or a torch that knows of one, it is said before there is a folder.
TEST(Fedavg, ACardIsLookedForBeforeTheRunBegins) {
  const Workshop shop;
  const Outcome outcome =
      shop.sotto(small_with({"--accelerator", "cuda", "--rounds", "1", "--out", "run", "--json"}));
  if (outcome.code == 0) return;  // there is one
  EXPECT_NE(outcome.err.find("cuda:"), std::string::npos) << outcome.err;
  EXPECT_FALSE(shop.has("run"));
}

TEST(Fedavg, OrdersAreChosenOnTheWay) {
  const Workshop shop;
  const Outcome outcome =
      shop.sotto(small_with({"--deal", "people", "--most-devices", "30", "--criteria", "IS>CB>DS",
                             "--choose-order", "--validation", "0.3", "--json"},
                            {"--devices"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_GE(json["choosing"]["sums"], 16);  // two looks a round
  EXPECT_GT(json["choosing"]["bytes_up"], 0);
  EXPECT_FALSE(json["choosing"]["orders"].empty());
}

}  // namespace
}  // namespace sotto::cli
