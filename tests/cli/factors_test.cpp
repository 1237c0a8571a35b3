// sotto train with the factor models: each trains, is kept and asked again; the federated ones on every path.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliFactors : public ::testing::Test {
 protected:
  CliFactors() {
    EXPECT_EQ(
        shop_.sotto({"data", "generate", "--users", "120", "--items", "100", "--mean", "20", "--out", "w"})
            .code,
        0);
  }
  [[nodiscard]] Outcome train(const Words& more) const {
    Words words{"train", "--data", "w", "--epochs", "3", "--factors", "6", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return shop_.sotto(words);
  }

  Workshop shop_;
};

TEST_F(CliFactors, each_trains_and_its_run_is_judged_again_alike) {
  for (const char* model : {"ials", "fedals", "fcf", "warp", "mf"}) {
    const Outcome outcome = train({"--model", model, "--out", model});
    ASSERT_EQ(outcome.code, 0) << model << ": " << outcome.err;
    const auto json = outcome.json();
    EXPECT_EQ(json["model"], model);
    const auto judged = shop_.sotto({"evaluate", "--run", model, "--json"}).json();
    EXPECT_EQ(judged["metrics"]["P@10"], json["metrics"]["P@10"]) << model;
    const bool federated = std::string(model).starts_with("f");
    EXPECT_EQ(json["bytes_up"] > 0, federated) << model;
    EXPECT_EQ(json["bytes_down"] > 0, federated) << model;
  }
}

TEST_F(CliFactors, neither_threads_nor_the_wire_change_a_federated_model) {
  for (const char* model : {"fedals", "fcf"}) {
    const auto run = [&](const Words& more) {
      Words words{"--model", model};
      words.insert(words.end(), more.begin(), more.end());
      return train(words).json();
    };
    const auto one = run({"--pi", "0.6", "--threads", "1"});
    for (const Words& more : {Words{"--pi", "0.6", "--threads", "3"}, Words{"--pi", "0.6", "--wire"}}) {
      const auto other = run(more);
      EXPECT_EQ(other["model_hash"], one["model_hash"]) << model;
      EXPECT_EQ(other["bytes_up"], one["bytes_up"]) << model;
    }
    EXPECT_NE(run({"--pi", "1"})["model_hash"], one["model_hash"]) << model;
  }
}

TEST_F(CliFactors, their_flags_matter_and_mistakes_say_what_to_do) {
  const auto hash = [&](const Words& more) { return train(more).json()["model_hash"]; };
  const auto ials = hash({"--model", "ials"});
  for (const Words& more :
       {Words{"--lambda", "5"}, Words{"--confidence", "9"}, Words{"--reg-power", "0.5"}}) {
    Words words{"--model", "ials"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_NE(hash(words), ials) << more.front();
  }
  EXPECT_NE(hash({"--model", "fcf", "--server", "sgd"}), hash({"--model", "fcf"}));
  EXPECT_NE(hash({"--model", "mf", "--negatives", "2"}), hash({"--model", "mf"}));
  EXPECT_NE(hash({"--model", "warp", "--max-trials", "2"}), hash({"--model", "warp"}));
  for (const Words& more :
       {Words{"--model", "fedals", "--cohort", "0.5"}, Words{"--model", "ials", "--lambda", "-1"},
        Words{"--model", "fcf", "--server", "none"}}) {
    const Outcome outcome = train(more);
    EXPECT_EQ(outcome.code, 2) << more.back();
    EXPECT_FALSE(outcome.err.empty());
  }
}

}  // namespace
}  // namespace sotto::cli
