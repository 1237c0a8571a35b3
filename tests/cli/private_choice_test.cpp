// sotto train and privacy with a lambda that is chosen privately.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

Words choosing(const Words& more, const char* place = "central", const char* model = "fedease") {
  return joined({"train", "--data", "world.tsv", "--model", model, "--dp", place, "--dp-epsilon", "4"}, more);
}

class CliPrivateChoice : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(shop.sotto({"data", "generate", "--users", "120", "--items", "90", "--out", "world.tsv"}).code,
              0);
  }
  // What the ledger in dev says after a run with a choice, two sums and the choice.
  nlohmann::json ledger_of_a_choice() {
    const Outcome run = shop.sotto(
        choosing({"--validation", "0.3", "--dp-lambdas", "5,20", "--quiet", "--device", "person-00003=dev"}));
    EXPECT_EQ(run.code, 0) << run.err;
    return shop.sotto({"device", "ledger", "list", "--dir", "dev", "--json"}).json()["entries"];
  }
  const Workshop shop;
};

TEST_F(CliPrivateChoice, is_told_charged_and_made_again_from_the_run) {
  ASSERT_EQ(shop.sotto({"privacy", "budget", "b.json", "--epsilon", "5"}).code, 0);
  const Words words = choosing({"--validation", "0.2", "--dp-lambdas", "5,20,80", "--dp-choice-epsilon",
                                "0.5", "--dp-budget", "b.json", "--json", "--out", "run"});
  const Outcome first = shop.sotto(words);
  ASSERT_EQ(first.code, 0) << first.err;
  const auto json = first.json();
  EXPECT_NEAR(json["epsilon"].get<double>(), 4.0, 1e-3);
  EXPECT_EQ(json["choice"]["epsilon"], .5);
  const auto lambda = json["choice"]["lambda"].get<double>();
  EXPECT_TRUE(lambda == 5.0 || lambda == 20.0 || lambda == 80.0) << lambda;
  EXPECT_NE(shop.get("run/plan.toml").find("lambdas = [5, 20, 80]"), std::string::npos);
  EXPECT_NE(shop.sotto({"show", "run"}).out.find("chosen privately, by itself for epsilon 0.5"),
            std::string::npos);
  const Outcome budget = shop.sotto({"privacy", "budget", "b.json"});
  EXPECT_NE(budget.out.find("choice of lambda"), std::string::npos) << budget.out;
  EXPECT_NE(budget.out.find("choice, epsilon 0.5 each"), std::string::npos) << budget.out;
  // The run's model is made again, and pays for nothing.
  const auto spent = shop.sotto({"privacy", "budget", "b.json", "--json"}).json();
  ASSERT_EQ(spent["charges"].size(), 3u);
  const Outcome judged = shop.sotto({"evaluate", "--run", "run", "--json"});
  ASSERT_EQ(judged.code, 0) << judged.err;
  EXPECT_EQ(judged.json()["metrics"]["nDCG@10"], json["metrics"]["nDCG@10"]);
  EXPECT_EQ(shop.sotto({"privacy", "budget", "b.json", "--json"}).json(), spent);
  EXPECT_EQ(shop.sotto({"forget", "--run", "run", "--user", "person-00003"}).code, 2) << "noise was released";
  const Outcome again = shop.sotto({"evaluate", "--run", "run", "--part", "validation"});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("lambda is chosen on the validation part"), std::string::npos) << again.err;
  // Nothing is left for a second one.
  const Outcome second = shop.sotto(choosing({"--validation", "0.2", "--dp-lambdas", "5,20", "--dp-budget",
                                              "b.json", "--seed", "2", "--out", "second"}));
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("the privacy budget is spent"), std::string::npos) << second.err;
  EXPECT_FALSE(shop.has("second/run.json"));
}

TEST_F(CliPrivateChoice, what_cannot_be_is_refused_with_a_remedy) {
  const auto refused = [&](const Words& more, const char* words, const char* place = "central",
                           const char* model = "fedease") {
    const Outcome outcome = shop.sotto(choosing(more, place, model));
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  refused({"--dp-lambdas", "5,20"}, "add --validation 0.2");
  refused({"--validation", "0.2", "--dp-lambdas", "5"}, "a single one is --lambda");
  refused({"--validation", "0.2", "--dp-lambdas", "5,0"}, "above 0");
  refused({"--validation", "0.2", "--dp-lambdas", "5,20", "--lambda", "3"}, "either given or chosen");
  refused({"--validation", "0.2", "--dp-lambdas", "5,20"}, "choose --dp central", "local");
  refused({"--validation", "0.2", "--dp-lambdas", "5,20"}, "--dp-lambdas: fpl has no such option", "central",
          "fpl");
  refused({"--validation", "0.2", "--dp-lambdas", "5,20", "--dp-choice-epsilon", "9"}, "leaves nothing of 4");
  refused({"--dp-choice-epsilon", "1"}, "--dp-lambdas");
}

TEST_F(CliPrivateChoice, a_persons_ledger_has_the_round_of_the_choice_and_what_it_spoke_of) {
  ASSERT_EQ(shop.sotto({"device", "init", "--dir", "dev"}).code, 0);
  ASSERT_EQ(shop.sotto({"device", "consent", "preset", "open", "--dir", "dev"}).code, 0);
  const nlohmann::json entries = ledger_of_a_choice();
  ASSERT_EQ(entries.size(), 3u) << entries;
  EXPECT_EQ(entries[2]["mechanism"], "plain, private choice");
  EXPECT_GT(entries[2]["epsilon"].get<double>(), entries[1]["epsilon"].get<double>());
  EXPECT_GT(entries[2]["items"].size(), entries[1]["items"].size()) << "the validation part is judged by";
}

// What is drawn anew would add up: all three rounds speak of the same things, and the ledger says so.
TEST_F(CliPrivateChoice, a_ledger_tells_what_was_spoken_of_when_consent_is_redrawn) {
  ASSERT_EQ(shop.sotto({"device", "init", "--dir", "dev"}).code, 0);
  ASSERT_EQ(shop.sotto({"device", "consent", "set", "--pi", "0.5", "--mask", "redraw", "--dir", "dev"}).code,
            0);
  const nlohmann::json entries = ledger_of_a_choice();
  ASSERT_EQ(entries.size(), 3u) << entries;
  EXPECT_GT(entries[0]["items"].size(), 0u);
  EXPECT_EQ(entries[0]["items"], entries[1]["items"]);
  for (const auto& item : entries[0]["items"])
    EXPECT_NE(std::ranges::find(entries[2]["items"], item), entries[2]["items"].end()) << item;
}

TEST_F(CliPrivateChoice, a_lambda_without_a_solution_is_no_candidate) {
  const Outcome run = shop.sotto(choosing({"--validation", "0.3", "--dp-lambdas", "1e-30,20,50", "--json"}));
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_GE(run.json()["choice"]["lambda"].get<double>(), 20.0);
  const Outcome alone = shop.sotto(choosing({"--validation", "0.3", "--dp-lambdas", "1e-30,20", "--json"}));
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(alone.json()["choice"]["lambda"].get<double>(), 20.0);
  EXPECT_EQ(alone.json()["choice"]["epsilon"].get<double>(), 0.0) << "there was nothing to choose";
}

TEST_F(CliPrivateChoice, a_run_whose_own_epsilon_is_too_small_costs_nothing) {
  ASSERT_EQ(shop.sotto({"privacy", "budget", "b.json", "--epsilon", "50"}).code, 0);
  const Outcome run = shop.sotto({"train", "--data", "world.tsv", "--model", "fedease", "--dp", "central",
                                  "--dp-noise", "2", "--dp-epsilon", "0.5", "--dp-budget", "b.json"});
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("the run's epsilon is at 0.0000 of 0.5000"), std::string::npos) << run.err;
  EXPECT_TRUE(shop.sotto({"privacy", "budget", "b.json", "--json"}).json()["charges"].empty());
}

TEST_F(CliPrivateChoice, a_curve_tells_what_was_chosen) {
  const Outcome outcome = shop.sotto({"privacy", "curve", "--data", "world.tsv", "--validation", "0.2",
                                      "--epsilon", "8", "--seeds", "2", "--dp-items", "30", "--dp-lambdas",
                                      "5,20", "--out", "curve.html", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto point = outcome.json()["points"][0];
  EXPECT_NEAR(point["spent"].get<double>(), 8.0, 2e-3);
  ASSERT_EQ(point["lambdas"].size(), 2u);
  for (const auto& lambda : point["lambdas"]) EXPECT_TRUE(lambda == 5.0 || lambda == 20.0) << lambda;
  EXPECT_NE(shop.get("curve.html").find("chosen privately at each point"), std::string::npos);
}

TEST_F(CliPrivateChoice, a_plan_tells_what_choices_cost) {
  const Outcome outcome = shop.sotto(
      {"privacy", "plan", "--kind", "choice", "--rounds", "40", "--noise", "10", "--epsilon", "2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto cost = outcome.json()["costs"][0];
  EXPECT_NEAR(cost["epsilon_without_delta"].get<double>(), 4.0, 1e-9);
  EXPECT_LT(cost["epsilon_rdp"].get<double>(), 2.0);
  EXPECT_LE(cost["epsilon_pld"].get<double>(), cost["epsilon_rdp"].get<double>());
  EXPECT_NE(shop.sotto({"privacy", "plan", "--kind", "choice"}).out.find("exponential mechanism"),
            std::string::npos);
  EXPECT_EQ(shop.sotto({"privacy", "plan", "--kind", "choice", "--sampling", "0.1"}).code, 2);
}

}  // namespace
}  // namespace sotto::cli
