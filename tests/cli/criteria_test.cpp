// Criteria: in training, in a person's consent and ledger, in the audit.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliCriteria : public ::testing::Test {
 protected:
  CliCriteria() {
    EXPECT_EQ(
        shop_.sotto({"data", "generate", "--users", "60", "--items", "50", "--mean", "15", "--out", "w"})
            .code,
        0);
  }
  [[nodiscard]] Outcome train(const Words& more) const {
    return shop_.sotto(joined(
        {"train", "--data", "w", "--variant", "pfpl", "--epochs", "2", "--factors", "4", "--json"}, more));
  }
  [[nodiscard]] std::string hash(const Words& more) const {
    const Outcome outcome = train(more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.json()["model_hash"].get<std::string>();
  }
  [[nodiscard]] Outcome consent(const Words& words) const {
    return shop_.sotto(joined(joined({"device", "consent"}, words), {"--dir", "d", "--json"}));
  }

  Workshop shop_;
};

TEST_F(CliCriteria, a_plan_keeps_them_and_a_secure_sum_gives_the_same_model) {
  const std::string weighed = hash({"--criteria", "size>novelty", "--size-bound", "30", "--out", "run"});
  EXPECT_NE(weighed, hash({}));
  EXPECT_EQ(hash({"--criteria", "DS>NV", "--size-bound", "30", "--sum", "secure"}), weighed);
  EXPECT_NE(shop_.get("run/plan.toml").find("size>novelty"), std::string::npos);
  EXPECT_EQ(shop_.sotto({"train", "--plan", "run/plan.toml", "--json"}).json()["model_hash"], weighed);
  EXPECT_NE(hash({"--criteria", "size>novelty", "--score", "mean", "--score-weights", "0.2,0.8"}), weighed);
}

TEST_F(CliCriteria, what_cannot_be_is_a_usage_error) {
  EXPECT_EQ(train({"--criteria", "shoes"}).code, 2);
  EXPECT_EQ(train({"--criteria", "size", "--variant", "sfpl"}).code, 2);
  EXPECT_EQ(train({"--criteria", "size", "--model", "fedease"}).code, 2);
  EXPECT_EQ(train({"--criteria", "size", "--dp", "central", "--dp-noise", "1"}).code, 2);
  EXPECT_EQ(train({"--score", "mean"}).code, 2);
  const Outcome none = train({"--criteria", ""});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("leave it out for none"), std::string::npos) << none.err;
}

TEST_F(CliCriteria, a_person_chooses_what_is_told_and_the_ledger_says_it) {
  EXPECT_EQ(consent({"preset", "open"}).json()["criteria"]["size"]["tells"], true);
  EXPECT_EQ(consent({"criteria", "DS", "keep"}).json()["criteria"]["size"]["tells"], false);
  EXPECT_EQ(consent({"criteria", "*", "keep"}).json()["criteria"]["novelty"]["tells"], false);
  EXPECT_EQ(consent({"criteria", "*", "unset"}).json()["criteria"]["novelty"]["tells"], true);
  EXPECT_EQ(consent({"criteria", "shoes", "keep"}).code, 2);
  EXPECT_EQ(consent({"criteria", "size", "whisper"}).code, 2);
  const Outcome shown = shop_.sotto({"device", "consent", "show", "--dir", "d"});
  EXPECT_NE(shown.out.find("your number of records"), std::string::npos) << shown.out;
  ASSERT_EQ(shop_.sotto({"data", "split", "w", "--out", "s"}).code, 0);
  const std::string user = rows_of(shop_.get("s/train.tsv")).at(40).at(0);
  const Outcome trained =
      shop_.sotto({"train", "--split-file", "s/split.bin", "--variant", "pfpl", "--epochs", "1", "--factors",
                   "4", "--criteria", "size>novelty", "--device", user + "=d", "--json"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome listed = shop_.sotto({"device", "ledger", "list", "--dir", "d", "--json"});
  EXPECT_NE(listed.out.find("plain, told novelty"), std::string::npos) << listed.out;
}

TEST_F(CliCriteria, the_audit_says_what_they_tell) {
  const Outcome outcome = shop_.sotto({"audit", "--data", "w", "--variant", "pfpl", "--factors", "4",
                                       "--epochs", "1", "--criteria", "size>novelty", "--attackers", "A1",
                                       "--users-sample", "20", "--no-controls", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json told = outcome.json()["criteria"];
  EXPECT_EQ(told["criteria"][1]["criterion"], "novelty");
  EXPECT_GT(told["criteria"][0]["bits"], 1.0);
  EXPECT_GT(told["plain"]["linked"], told["plain"]["linked_by_chance"]);
  EXPECT_EQ(told["secure"]["exposed"], 0.0);
}

}  // namespace
}  // namespace sotto::cli
