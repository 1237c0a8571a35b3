// sotto train with VSM and kaHFM: what is known about items comes from a list, and a run keeps it.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

// People and books of two kinds; each person has five books of their kind.
class CliContent : public ::testing::Test {
 protected:
  CliContent() {
    std::string records, features = "item\tpredicate\tobject\n";
    for (int book = 0; book < 16; ++book) {
      const std::string name = "book" + std::to_string(book);
      features += name + "\tgenre\t" + (book % 2 == 0 ? "crime" : "travel") + "\n";
      features += name + "\tauthor\tauthor " + std::to_string(book / 4) + "\n";
    }
    for (int person = 0; person < 24; ++person)
      for (int n = 0; n < 5; ++n) {
        const int book = (2 * (person / 2 + n) + person % 2) % 16;
        records += "person" + std::to_string(person) + "\tbook" + std::to_string(book) + "\t1\n";
      }
    shop_.put("records.tsv", records);
    shop_.put("known.tsv", features);
  }
  [[nodiscard]] Outcome train(const Words& more) const {
    return shop_.sotto(joined({"train", "--data", "records.tsv", "--split", "random:0.8", "--kg", "known.tsv",
                               "--kg-min-items", "1", "--json"},
                              more));
  }

  Workshop shop_;
};

TEST_F(CliContent, a_run_recommends_as_it_was_judged) {
  for (const std::string model : {"vsm", "kahfm"}) {
    const Outcome outcome = train(
        joined(model == "kahfm" ? Words{"--epochs", "3"} : Words{}, {"--model", model, "--out", model}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto judged = shop_.sotto({"evaluate", "--run", model, "--json"});
    ASSERT_EQ(judged.code, 0) << judged.err;
    EXPECT_EQ(judged.json()["metrics"], outcome.json()["metrics"]) << model;
    const Outcome list = shop_.sotto({"recommend", "--run", model, "--user", "person4", "-n", "3", "--json"});
    EXPECT_EQ(list.code, 0) << list.err;
    EXPECT_EQ(train(joined(model == "kahfm" ? Words{"--epochs", "3"} : Words{},
                           {"--model", model, "--threads", "2"}))
                  .json()["model_hash"],
              outcome.json()["model_hash"]);
  }
}

TEST_F(CliContent, settings_make_another_model_and_wrong_ones_are_named) {
  const auto hash = [&](const Words& more) {
    return train(joined({"--model", "vsm"}, more)).json()["model_hash"].get<std::string>();
  };
  const std::string usual = hash({});
  EXPECT_NE(hash({"--profile-rule", "centroid"}), usual);
  EXPECT_NE(hash({"--item-weights", "binary"}), usual);
  EXPECT_NE(hash({"--user-weights", "binary"}), usual);
  const Outcome wrong = train({"--model", "vsm", "--profile-rule", "middle"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("centroid"), std::string::npos) << wrong.err;
}

TEST_F(CliContent, nothing_known_is_said) {
  for (const char* model : {"vsm", "kahfm"}) {
    const Outcome outcome = shop_.sotto({"train", "--data", "records.tsv", "--model", model});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("--kg"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace sotto::cli
