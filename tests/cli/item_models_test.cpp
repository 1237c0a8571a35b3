// sotto train with the item-item models, central and federated.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliItemModels : public ::testing::Test {
 protected:
  CliItemModels() {
    EXPECT_EQ(
        shop_.sotto({"data", "generate", "--users", "150", "--items", "120", "--mean", "20", "--out", "w"})
            .code,
        0);
  }
  [[nodiscard]] Outcome train(const Words& more) const {
    Words words{"train", "--data", "w", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return shop_.sotto(words);
  }
  [[nodiscard]] nlohmann::json judged(const Words& more) const {
    const Outcome outcome = train(more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.json();
  }

  Workshop shop_;
};

TEST_F(CliItemModels, a_federation_that_gives_everything_is_the_central_model) {
  const auto same = [&](const char* central, const char* federated, const Words& more = {}) {
    const auto a = judged(joined({"--model", central}, more));
    const auto b = judged(joined({"--model", federated, "--threads", "2"}, more));
    const auto wire = judged(joined({"--model", federated, "--wire", "--threads", "1"}, more));
    EXPECT_EQ(a["metrics"], b["metrics"]) << central;
    EXPECT_EQ(b["metrics"], wire["metrics"]) << central;
    EXPECT_EQ(a["bytes_up"], 0);
    EXPECT_GT(b["bytes_up"], 150 * 13);
    EXPECT_EQ(b["bytes_up"], wire["bytes_up"]);
    EXPECT_GT(b["bytes_down"], b["bytes_up"]);
    EXPECT_EQ(b["rounds"], 1);
  };
  same("ease", "fedease", {"--lambda", "20"});
  same("itemknn", "feditemknn");
  same("rp3beta", "fedrp3beta");
}

TEST_F(CliItemModels, consent_changes_the_sum_and_costs_fewer_bytes) {
  const auto all = judged({"--model", "fedease"});
  const auto half = judged({"--model", "fedease", "--pi", "0.5"});
  EXPECT_LT(half["bytes_up"], all["bytes_up"]);
  EXPECT_NE(half["metrics"], all["metrics"]);
  EXPECT_NE(half["model_hash"], all["model_hash"]);
}

TEST_F(CliItemModels, settings_decide_the_name_and_the_model) {
  for (const Words& other :
       {Words{"--model", "ease", "--lambda", "1"}, Words{"--model", "itemknn", "--similarity", "jaccard"},
        Words{"--model", "userknn", "--similarity", "pearson"}, Words{"--model", "slim", "--l1", "9"},
        Words{"--model", "slim", "--negative-weights"}, Words{"--model", "rp3beta", "--beta", "0.9"},
        Words{"--model", "ease", "--dense-items", "60"}, Words{"--model", "fedease", "--gram-power", "1"}}) {
    const auto usual = judged({other[0], other[1]}), changed = judged(other);
    EXPECT_NE(usual["model_hash"], changed["model_hash"]) << other[2];
    if (other[2] != "--dense-items") {
      EXPECT_NE(usual["metrics"], changed["metrics"]) << other[2];
    }
  }
}

TEST_F(CliItemModels, recency_changes_the_lists_and_needs_times) {
  const auto usual = judged({"--model", "fedease"}),
             recent = judged({"--model", "fedease", "--recency", "3"});
  EXPECT_NE(usual["metrics"], recent["metrics"]);
  EXPECT_EQ(usual["bytes_up"], recent["bytes_up"]);  // what leaves the devices is the same
  const Outcome untimed = train({"--model", "ease", "--recency", "3", "--split", "random:0.8"});
  EXPECT_EQ(untimed.code, 1);
  EXPECT_NE(untimed.err.find("recency needs the order in time"), std::string::npos) << untimed.err;
  const Outcome factors = train({"--model", "bprmf", "--recency", "3"});
  EXPECT_EQ(factors.code, 2);
  EXPECT_NE(factors.err.find("--recency: bprmf has no such option"), std::string::npos) << factors.err;
  EXPECT_EQ(train({"--model", "ease", "--recency", "-1"}).code, 2);
}

TEST_F(CliItemModels, a_kept_run_answers_like_the_trained_one) {
  ASSERT_EQ(train({"--model", "fedease", "--pi", "0.5", "--out", "r"}).code, 0);
  const Outcome again = shop_.sotto({"evaluate", "--run", "r", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json()["metrics"], judged({"--model", "fedease", "--pi", "0.5"})["metrics"]);
}

TEST_F(CliItemModels, settings_that_cannot_be_are_usage_errors) {
  for (const Words& wrong :
       {Words{"--model", "ease", "--lambda", "0"}, Words{"--model", "slim", "--l1", "-1"},
        Words{"--model", "itemknn", "--similarity", "euclid"}, Words{"--model", "rp3beta", "--alpha", "-2"},
        Words{"--model", "fedease", "--gram-power", "9"}, Words{"--model", "ease", "--dense-items", "0"}}) {
    const Outcome outcome = train(wrong);
    EXPECT_EQ(outcome.code, 2) << wrong[2];
    EXPECT_FALSE(outcome.err.empty());
  }
}

}  // namespace
}  // namespace sotto::cli
