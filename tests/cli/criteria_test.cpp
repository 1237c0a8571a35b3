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
    EXPECT_EQ(shop_.sotto({"device", "init", "--dir", "d"}).code, 0);
  }
  [[nodiscard]] Outcome train(const Words& more) const {
    return shop_.sotto(joined(
        {"train", "--data", data_, "--variant", "pfpl", "--epochs", "2", "--factors", "4", "--json"}, more));
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
  std::string data_ = "w";
};

TEST_F(CliCriteria, a_plan_keeps_them_and_a_secure_sum_gives_the_same_model) {
  // A secure round costs as the square of its people: a third of them, and more than the ten whom a criterion
  // needs.
  data_ = "few";
  ASSERT_EQ(
      shop_.sotto({"data", "generate", "--users", "20", "--items", "50", "--mean", "15", "--out", data_})
          .code,
      0);
  const std::string weighed = hash({"--criteria", "size>novelty", "--size-bound", "30", "--out", "run"});
  EXPECT_NE(weighed, hash({}));
  EXPECT_EQ(hash({"--criteria", "DS>NV", "--size-bound", "30", "--sum", "secure"}), weighed);
  EXPECT_NE(shop_.get("run/plan.toml").find("size>novelty"), std::string::npos);
  EXPECT_EQ(shop_.sotto({"train", "--plan", "run/plan.toml", "--json"}).json()["model_hash"], weighed);
  EXPECT_NE(hash({"--criteria", "size>novelty", "--score", "mean", "--score-weights", "0.2,0.8"}), weighed);
}

TEST_F(CliCriteria, a_run_says_what_they_came_to) {
  const Words weighed{"--criteria", "DS>NV", "--size-bound", "30"};
  const nlohmann::json told = train(weighed).json()["criteria"];
  EXPECT_EQ(told["order"], "size>novelty");
  EXPECT_EQ(told["score"], "prioritized");
  EXPECT_LT(told["weights"]["least"], 1.0);
  EXPECT_GT(told["weights"]["most"], 1.0);
  EXPECT_TRUE(told["left_alone"].empty());
  const Words open{"--consent-mix", "open=0.05,balanced=0.95", "--out", "few"};
  const nlohmann::json few = train(joined(weighed, open)).json()["criteria"];
  EXPECT_EQ(few["left_alone"]["size"], few["rounds"]);
  EXPECT_FALSE(train({}).json().contains("criteria"));
  const std::string shown = shop_.sotto({"show", "few"}).out;
  EXPECT_NE(shown.find("size>novelty (prioritized); weights 1.00 to 1.00"), std::string::npos) << shown;
  EXPECT_NE(shown.find("rounds: fewer than 10 people reported it"), std::string::npos) << shown;
}

TEST_F(CliCriteria, examples_are_not_called_triples) {
  const Words fcf{"train", "--data",   "w", "--model",   "fcf", "--cohort",
                  "0.5",   "--epochs", "1", "--factors", "4"};
  const std::string shown = shop_.sotto(fcf).out;
  EXPECT_NE(shown.find("fcf: cohorts of "), std::string::npos) << shown;
  EXPECT_NE(shown.find(" examples, "), std::string::npos) << shown;
}

TEST_F(CliCriteria, what_cannot_be_is_a_usage_error) {
  EXPECT_EQ(train({"--criteria", "shoes"}).code, 2);
  EXPECT_EQ(train({"--criteria", "size", "--variant", "sfpl"}).code, 2);
  EXPECT_EQ(train({"--criteria", "size", "--model", "fedease"}).code, 2);
  EXPECT_EQ(train({"--criteria", "size", "--dp", "central", "--dp-noise", "1"}).code, 2);
  EXPECT_EQ(train({"--score", "mean"}).code, 2);
  const Outcome none = train({"--criteria", ""});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("leave the option out"), std::string::npos) << none.err;
}

TEST_F(CliCriteria, a_person_chooses_what_is_told_and_the_ledger_says_it) {
  EXPECT_EQ(consent({"preset", "open"}).json()["criteria"]["size"]["tells"], true);
  EXPECT_EQ(consent({"criteria", "DS", "keep"}).json()["criteria"]["size"]["tells"], false);
  EXPECT_EQ(consent({"criteria", "*", "keep"}).json()["criteria"]["novelty"]["tells"], false);
  EXPECT_EQ(consent({"criteria", "*", "unset"}).json()["criteria"]["novelty"]["tells"], true);
  EXPECT_EQ(consent({"criteria", "shoes", "keep"}).code, 2);
  const Outcome whispered = consent({"criteria", "size", "whisper"});
  EXPECT_EQ(whispered.code, 2);
  EXPECT_NE(whispered.err.find("tell, keep, or unset"), std::string::npos) << whispered.err;
  const nlohmann::json open = consent({"show"}).json()["criteria"];
  EXPECT_EQ(open["size"]["own_choice"], true);
  EXPECT_EQ(open["novelty"]["own_choice"], false);
  const Outcome shown = shop_.sotto({"device", "consent", "show", "--dir", "d"});
  EXPECT_NE(shown.out.find("your number of records"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("size             kept (your choice) "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("layer-closeness  reported (as your level says) "), std::string::npos)
      << shown.out;
  EXPECT_EQ(consent({"pause"}).code, 0);
  const Outcome paused = shop_.sotto({"device", "consent", "show", "--dir", "d"});
  EXPECT_NE(paused.out.find("would be reported (as your level says) "), std::string::npos) << paused.out;
  EXPECT_EQ(consent({"resume"}).code, 0);
  ASSERT_EQ(shop_.sotto({"data", "split", "w", "--out", "s"}).code, 0);
  const std::string user = rows_of(shop_.get("s/train.tsv")).at(40).at(0);
  const Outcome trained =
      shop_.sotto({"train", "--split-file", "s/split.bin", "--variant", "pfpl", "--epochs", "1", "--factors",
                   "4", "--criteria", "size>novelty", "--device", user + "=d", "--json"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome listed = shop_.sotto({"device", "ledger", "list", "--dir", "d", "--json"});
  EXPECT_NE(listed.out.find("plain, no noise, told novelty"), std::string::npos) << listed.out;
}

TEST_F(CliCriteria, the_audit_says_what_they_tell) {
  const Outcome outcome =
      shop_.sotto({"audit",     "--data",         "w",  "--variant",     "pfpl",         "--factors",
                   "4",         "--epochs",       "1",  "--criteria",    "size>novelty", "--attackers",
                   "A1",        "--users-sample", "20", "--no-controls", "--json",       "--out",
                   "page.html", "--size-bound",   "30"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json told = outcome.json()["criteria"];
  EXPECT_EQ(told["criteria"][1]["criterion"], "novelty");
  EXPECT_GT(told["criteria"][0]["bits"], 1.0);
  EXPECT_GT(told["plain"]["linked"], told["plain"]["linked_by_chance"]);
  EXPECT_EQ(told["secure"]["exposed"], 0.0);
  EXPECT_NE(shop_.get("page.html").find("size&gt;novelty"), std::string::npos);
  EXPECT_NE(shop_.get("page.html").find("--size-bound 30"), std::string::npos);
}

}  // namespace
}  // namespace sotto::cli
