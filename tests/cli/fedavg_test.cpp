// `sotto train --model fedavg` with wrong words and wrong files: what is said before anything is trained.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

class CliFedavg : public ::testing::Test {
 protected:
  // Pictures of 2 × 2 with labels 0, 1, 0, 1 …
  void lay_out(std::uint32_t training, std::uint32_t test) const {
    const auto put = [&](const std::string& name, std::uint32_t count) {
      std::string images = big_endian(0x803) + big_endian(count) + big_endian(2) + big_endian(2);
      std::string labels = big_endian(0x801) + big_endian(count);
      for (std::uint32_t n = 0; n < count; ++n) {
        images += std::string(4, static_cast<char>(n % 2 * 100));
        labels += static_cast<char>(n % 2);
      }
      shop_.put("mnist/" + name + "-images-idx3-ubyte", images);
      shop_.put("mnist/" + name + "-labels-idx1-ubyte", labels);
    };
    std::filesystem::create_directories(shop_.folder() / "mnist");
    put("train", training);
    put("t10k", test);
  }
  // Fails with the code, and says the part.
  void refused(const Words& words, int code, const std::string& part) const {
    const Outcome outcome = shop_.sotto(joined({"train", "--model", "fedavg"}, words));
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_TRUE(outcome.out.empty());
  }

  Workshop shop_;
};

TEST_F(CliFedavg, HelpHasExamplesAndTheCriteria) {
  const Outcome help = shop_.sotto({"train", "--model", "fedavg", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* part : {"--json", "--seed", "--threads", "--choose-order", "--sum", "--deal", "LD"})
    EXPECT_NE(help.out.find(part), std::string::npos) << part;
}

TEST_F(CliFedavg, WrongWords) {
  refused({}, 2, "--data");
  refused({"--generate", "--data", "x"}, 2, "choose one");
  refused({"--generate", "--criteria", "DS>XX"}, 2, "'XX' is no criterion: there are size (DS)");
  refused({"--generate", "--criteria", "DS>LD>ds"}, 2, "twice");
  refused({"--generate", "--criteria", "DS>"}, 2, "an empty name");
  refused({"--generate", "--criteria", "DS,LD"}, 2, "separate criteria with >");
  refused({"--generate", "--criteria", ""}, 2, "leave the option out");
  refused({"--generate", "--criteria", "DS", "--choose-order", "--validation", "0.1"}, 2, "two or more");
  refused({"--generate", "--criteria", "DS>LD", "--choose-order"}, 2, "--validation");
  refused({"--generate", "--lr", "0"}, 2, "");
  refused({"--generate", "--lr", "-0.1"}, 2, "");
  refused({"--generate", "--lr", "nan"}, 2, "");
  refused({"--generate", "--rounds", "0"}, 2, "--rounds");
  refused({"--generate", "--devices", "many"}, 2, "whole number");
  refused({"--generate", "--until", "half"}, 2, "50%@95%");
  refused({"--generate", "--criteria", "DS", "--score", "median"}, 2, "median");
  refused({"--generate", "--criteria", "DS>LD", "--score", "mean", "--score-weights", "1,2,3"}, 2, "");
  refused({"--generate", "--deal", "alphabet"}, 2, "iid, shards or people");
  refused({"--generate", "--deal", "people", "--network", "dense", "--devices", "5"}, 2, "--most-devices");
  refused({"--generate", "--accelerator", "abacus"}, 2, "abacus");
  refused({"--generate", "--sum", "guess"}, 2, "guess");
  refused({"--resume"}, 2, "--out");
}

// What AveragingRequest refuses is tested there; here, what is seen only beside the examples.
TEST_F(CliFedavg, WhatExamplesDoNotTellIsRefused) {
  refused({"--data", "mnist", "--examples", "1200"}, 2, "--examples is for generated examples");
  refused({"--generate", "--examples", "600", "--devices", "4", "--cohort", "1", "--criteria", "IS"}, 2,
          "quality");
}

// Where the data are not there either, what is said first is what was looked at first.
TEST_F(CliFedavg, WhatCanBeSaidIsSaidBeforeExamplesAreRead) {
  refused({"--data", "nowhere", "--hidden", "0"}, 2, "layers");
  refused({"--data", "nowhere", "--filter", "40"}, 2, "odd");
  refused({"--data", "nowhere", "--deal", "people"}, 2, "network dense");
  shop_.put("run/plan.toml", "");
  refused({"--data", "nowhere", "--out", "run"}, 2, "not a run");
  refused({"--data", "nowhere", "--out", "run", "--force"}, 2, "this folder holds no run");
}

// The command of version 0.1.0, its plans and its runs.
TEST_F(CliFedavg, WhatVersion010CalledItStillWorks) {
  const Outcome help = shop_.sotto({"fedavg", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("--choose-order"), std::string::npos);
  const Outcome network = shop_.sotto({"fedavg", "--generate", "--model", "denser"});
  EXPECT_EQ(network.code, 2);
  EXPECT_NE(network.err.find("cnn or dense"), std::string::npos) << network.err;
  const std::string plan = "seed = 1\ngenerate = true\ndeal = \"iid\"\nmodel = \"dense\"\nrounds = 3\n";
  shop_.put("averaged/plan.toml", plan);
  shop_.put("averaged/run.json", "{\"model_hash\": \"00\", \"rounds_until\": []}\n");
  for (const Words& words : {Words{"show", "averaged"}, Words{"report", "averaged", "--out", "page.html"},
                             Words{"compare", "averaged", "averaged"}}) {
    const Outcome outcome = shop_.sotto(words);
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find("sotto train --plan averaged/plan.toml"), std::string::npos) << outcome.err;
  }
  const Outcome again = shop_.sotto({"train", "--plan", "averaged/plan.toml", "--rounds", "0"});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("--rounds must be"), std::string::npos) << again.err;
}

// What is refused leaves no folder that a better command would stumble over.
TEST_F(CliFedavg, ARefusedPlanBeginsNoFolder) {
  const Words small{"--generate", "--examples", "600", "--devices", "10", "--rounds", "1", "--out", "run"};
  refused(joined(small, {"--cohort", "0"}), 2, "cohort");
  refused(joined(small, {"--cohort", "1.5"}), 2, "cohort");
  refused(joined(small, {"--filter", "4"}), 2, "odd");
  refused(joined(small, {"--network", "dense", "--hidden", "0"}), 2, "layers");
  EXPECT_FALSE(shop_.has("run"));
}

TEST_F(CliFedavg, ACohortOfOneHasNobodyToCompareWith) {
  refused({"--generate", "--examples", "600", "--devices", "10", "--cohort", "0.1", "--criteria", "DS"}, 2,
          "cohort of one");
}

TEST_F(CliFedavg, FilesThatAreNotThereOrDoNotFit) {
  refused({"--data", "nowhere"}, 1, "neither MNIST's files");
  lay_out(12, 4);
  refused({"--data", "mnist", "--deal", "people", "--network", "dense"}, 2, "belong to nobody");
  refused({"--data", "mnist", "--devices", "13", "--network", "dense"}, 2, "13 devices");
  const std::string images = shop_.get("mnist/train-images-idx3-ubyte");
  shop_.put("mnist/train-images-idx3-ubyte", images.substr(0, images.size() - 3));
  refused({"--data", "mnist", "--devices", "2", "--network", "dense"}, 1, "train-images-idx3-ubyte");
  shop_.put("mnist/train-images-idx3-ubyte", images);
  lay_out(12, 4);
  std::string other = shop_.get("mnist/t10k-images-idx3-ubyte");
  other =
      other.substr(0, 8) + big_endian(1) + big_endian(4) + other.substr(16);  // as many bytes, another shape
  shop_.put("mnist/t10k-images-idx3-ubyte", other);
  refused({"--data", "mnist", "--devices", "2", "--network", "dense"}, 1, "t10k-images-idx3-ubyte");
  std::filesystem::remove(shop_.folder() / "mnist" / "t10k-labels-idx1-ubyte");
  refused({"--data", "mnist", "--devices", "2", "--network", "dense"}, 1, "t10k-labels-idx1-ubyte");
}

// Where rounds end by what the test part says, the run says so; its log is the same in every run.
TEST_F(CliFedavg, ARunThatStopsByTheTestPartSaysSo) {
  const Words small{
      "train",      "--model", "fedavg",         "--generate",   "--examples", "600",      "--devices", "6",
      "--rounds",   "2",       "--lr",           "0.05",         "--network",  "dense",    "--hidden",  "8",
      "--criteria", "DS>LD",   "--choose-order", "--validation", "0.2",        "--cohort", "0.5"};
  for (const std::string run : {"one", "two"})
    ASSERT_EQ(shop_.sotto(joined(small, {"--out", run})).code, 0)
        << shop_.sotto(joined(small, {"--out", run})).err;
  EXPECT_EQ(shop_.get("one/rounds.jsonl"), shop_.get("two/rounds.jsonl"));
  EXPECT_NE(shop_.get("one/rounds.jsonl").find("choosing"), std::string::npos);
  EXPECT_EQ(shop_.get("one/run.json").find("learned_from_test"), std::string::npos);
  const Outcome stopped = shop_.sotto(joined(small, {"--until", "10%@10%", "--out", "three", "--json"}));
  ASSERT_EQ(stopped.code, 0) << stopped.err;
  EXPECT_EQ(stopped.json()["learned_from_test"], true);
  // People are not taken out of a classifier.
  const Outcome forgotten = shop_.sotto({"forget", "--run", "one", "--user", "1", "--check"});
  EXPECT_EQ(forgotten.code, 2);
  EXPECT_NE(forgotten.err.find("a classifier of labelled examples"), std::string::npos) << forgotten.err;
}

// Killed before its first round, a folder is still a run's.
TEST_F(CliFedavg, AFolderThatWasJustBegunCanBeReplaced) {
  const Words small{"train",     "--model", "fedavg",   "--generate", "--examples", "600",
                    "--devices", "6",       "--rounds", "1",          "--network",  "dense",
                    "--hidden",  "8",       "--out",    "run"};
  ASSERT_EQ(shop_.sotto(small).code, 0);
  for (const char* later : {"run.json", "metrics.json", "per_user.tsv", "model.bin"})
    std::filesystem::remove(shop_.folder() / "run" / later);
  shop_.put("run/rounds.jsonl", "");
  EXPECT_NE(shop_.sotto(small).err.find("holds a run already"), std::string::npos);
  EXPECT_EQ(shop_.sotto(joined(small, {"--force"})).code, 0);
}

TEST_F(CliFedavg, WrongPlansNameTheLine) {
  shop_.put("plan.toml", "[data]\ngenerate = true\n[averaging]\nlocal_epoch = 2\n");
  refused({"--plan", "plan.toml"}, 2, "plan.toml, line 4: local_epoch: unknown key in [averaging]");
  refused({"--plan", "nowhere.toml"}, 1, "nowhere.toml");
}

}  // namespace
}  // namespace sotto::cli
