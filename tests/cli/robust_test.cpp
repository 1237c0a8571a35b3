// Robust sums in training, and sotto poison.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliRobust : public ::testing::Test {
 protected:
  CliRobust() {
    EXPECT_EQ(
        shop_.sotto({"data", "generate", "--users", "120", "--items", "100", "--mean", "20", "--out", "w"})
            .code,
        0);
  }
  [[nodiscard]] Outcome run(const char* command, Words more) const {
    Words words{command, "--data", "w", "--epochs", "3", "--factors", "6"};
    words.insert(words.end(), more.begin(), more.end());
    return shop_.sotto(words);
  }
  [[nodiscard]] std::string hash(const Words& more) const {
    const Outcome outcome = run("train", more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.json()["model_hash"].get<std::string>();
  }

  Workshop shop_;
};

TEST_F(CliRobust, a_defence_that_never_bites_gives_the_plain_model) {
  for (const char* model : {"fpl", "fcf"}) {
    const Words plain{"--model", model, "--json"};
    Words loose = plain, groups = plain, tight = plain;
    loose.insert(loose.end(), {"--robust-row-clip", "100000", "--robust-clip", "1000000"});
    groups.insert(groups.end(), {"--groups", "7", "--min-contributors", "1", "--threads", "2"});
    tight.insert(tight.end(), {"--groups", "9", "--across", "trimmed:0.2"});
    EXPECT_EQ(hash(loose), hash(plain)) << model;
    EXPECT_EQ(hash(groups), hash(plain)) << model;
    EXPECT_NE(hash(tight), hash(plain)) << model;
  }
}

TEST_F(CliRobust, a_plan_keeps_the_defence) {
  const Words defence{
      "--robust-row-clip", "0.5", "--groups", "5", "--across", "median", "--out", "run", "--json"};
  const std::string first = hash(defence);
  EXPECT_NE(shop_.get("run/plan.toml").find("median"), std::string::npos);
  EXPECT_EQ(shop_.sotto({"train", "--plan", "run/plan.toml", "--json"}).json()["model_hash"], first);
}

TEST_F(CliRobust, wrong_flags_are_refused_by_name) {
  EXPECT_EQ(run("train", {"--robust-row-clip", "0"}).code, 2);
  EXPECT_EQ(run("train", {"--across", "best"}).code, 2);
  EXPECT_EQ(run("train", {"--across", "median"}).code, 2);
  EXPECT_EQ(run("train", {"--groups", "1000", "--across", "median"}).code, 2);  // more than devices
  EXPECT_EQ(run("train", {"--model", "toppop", "--groups", "3"}).code, 2);
  EXPECT_EQ(run("train", {"--groups", "4", "--across", "trimmed:0.2"}).code, 2);  // none left out
  const Outcome pairs = shop_.sotto({"train", "--data", "w", "--model", "fedease", "--robust-clip", "1"});
  EXPECT_EQ(pairs.code, 2);
  EXPECT_NE(pairs.err.find("pair counts"), std::string::npos) << pairs.err;
  EXPECT_EQ(run("poison", {"--attack", "flood"}).code, 2);
  EXPECT_EQ(run("poison", {"--malicious", "0"}).code, 2);
  EXPECT_EQ(run("poison", {"--malicious", "0.0001"}).code, 2);
  EXPECT_EQ(run("poison", {"--targets", "0"}).code, 2);
  EXPECT_EQ(run("poison", {"--targets", "1000"}).code, 2);
  EXPECT_EQ(run("poison", {"--model", "fcf"}).code, 2);
}

TEST_F(CliRobust, poison_tells_before_and_after) {
  const Words attack{"--attack", "boost,random", "--malicious", "0.1", "--targets", "1", "--cold", "30"};
  Words page = attack, json = attack;
  page.insert(page.end(), {"--out", "poison.html"});
  json.insert(json.end(), {"--json", "--threads", "2"});
  const Outcome text = run("poison", page);
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* word : {"12 of 120 devices", "clean, defended", "boost", "random, defended", "ER@10"})
    EXPECT_NE(text.out.find(word), std::string::npos) << word;
  EXPECT_NE(shop_.get("poison.html").find("<svg"), std::string::npos);
  const auto told = run("poison", json).json();
  ASSERT_TRUE(told.is_object());
  ASSERT_EQ(told["attacks"].size(), 2u);
  for (const auto& one : told["attacks"])
    for (const char* arm : {"attacked", "defended"})
      for (const char* name : {"ER@10", "HR@10", "P@10", "nDCG@10"}) {
        EXPECT_GE(one[arm][name], 0.0);
        EXPECT_LE(one[arm][name], 1.0);
      }
  EXPECT_GT(told["defence"]["min_contributors"], 12);
}

}  // namespace
}  // namespace sotto::cli
