// sotto privacy plan, budget and curve; training under a budget.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

TEST(CliPrivacy, plan_answers_both_ways) {
  const Workshop shop;
  const Outcome outcome = shop.sotto({"privacy", "plan", "--sampling", "0.01", "--rounds", "120", "--delta",
                                      "1e-5", "--noise", "0.7", "--epsilon", "2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_NEAR(json["costs"][0]["epsilon_rdp"].get<double>(), 3.2392676, 1e-6);  // published
  EXPECT_NEAR(json["costs"][0]["epsilon_pld"].get<double>(), 2.4612381, 1e-3);
  EXPECT_GT(json["needs"][0]["noise_rdp"].get<double>(), json["needs"][0]["noise_pld"].get<double>());
  const Outcome again =
      shop.sotto({"privacy", "plan", "--sampling", "0.01", "--rounds", "120", "--delta", "1e-5", "--noise",
                  json["needs"][0]["noise_rdp"].dump(), "--epsilon", "2", "--json"});
  EXPECT_NEAR(again.json()["costs"][0]["epsilon_rdp"].get<double>(), 2.0, 2e-3);
}

TEST(CliPrivacy, plan_answers_for_laplace_noise_too) {
  const Workshop shop;
  const Outcome outcome = shop.sotto(
      {"privacy", "plan", "--kind", "laplace", "--rounds", "3", "--noise", "4", "--epsilon", "2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["kind"], "laplace");
  EXPECT_NEAR(json["costs"][0]["epsilon_without_delta"].get<double>(), .75, 1e-12);
  EXPECT_LE(json["costs"][0]["epsilon_rdp"].get<double>(), .75);
  EXPECT_LE(json["costs"][0]["epsilon_pld"].get<double>(), json["costs"][0]["epsilon_rdp"].get<double>());
  EXPECT_GT(json["costs"][0]["epsilon_pld"].get<double>(), .7);
  EXPECT_NEAR(json["needs"][0]["noise_rdp"].get<double>(), 1.5, 1e-3) << "three times an epsilon of 2/3";
  const Outcome table = shop.sotto({"privacy", "plan", "--kind", "laplace", "--out", "laplace.html"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("without delta"), std::string::npos);
  EXPECT_NE(shop.get("laplace.html").find("without delta"), std::string::npos);
}

TEST(CliPrivacy, plan_tells_huge_costs_and_says_where_pld_cannot_tell) {
  const Workshop shop;
  const auto costs = [&](Words words) {
    words.insert(words.begin(), {"privacy", "plan"});
    words.insert(words.end(), {"--epsilon", "50", "--json"});
    const Outcome outcome = shop.sotto(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.json()["costs"][0];
  };
  const auto few = costs({"--kind", "laplace", "--rounds", "30", "--noise", "0.02"});
  EXPECT_GT(few["epsilon_pld"].get<double>(), 1400.0) << "of 1500 without delta";
  EXPECT_LE(few["epsilon_pld"].get<double>(), few["epsilon_rdp"].get<double>());
  const auto many = costs({"--kind", "laplace", "--rounds", "1000", "--noise", "0.5"});
  EXPECT_GT(many["epsilon_pld"].get<double>(), 1135.0) << "the mean of the loss";
  EXPECT_LE(many["epsilon_pld"].get<double>(), many["epsilon_rdp"].get<double>());
  // The tails that a million releases cut are more than delta.
  const Words rounded{"--sampling", "0.05", "--rounds", "1000000", "--noise", "20", "--delta", "1e-9"};
  const auto unknown = costs(rounded);
  EXPECT_TRUE(unknown["epsilon_pld"].is_null()) << unknown;
  EXPECT_GT(unknown["epsilon_rdp"].get<double>(), 1.0);
  Words printed{"privacy", "plan", "--epsilon", "50", "--out", "plan.html"};
  printed.insert(printed.end(), rounded.begin(), rounded.end());
  const Outcome table = shop.sotto(printed);
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("–\n"), std::string::npos) << table.out;
  EXPECT_EQ(table.out.find("inf"), std::string::npos) << table.out;
}

TEST(CliPrivacy, laplace_noise_is_charged_and_its_shares_are_refused) {
  const Workshop shop;
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "60", "--items", "50", "--out", "world.tsv"}).code, 0);
  ASSERT_EQ(shop.sotto({"privacy", "budget", "b.json", "--epsilon", "1"}).code, 0);
  const auto rounds = [&](const char* epochs, const char* out) {
    return shop.sotto({"train",   "--data",     "world.tsv", "--epochs",    epochs,   "--cohort",
                       "1",       "--factors",  "4",         "--dp",        "local",  "--dp-kind",
                       "laplace", "--dp-noise", "8",         "--dp-budget", "b.json", "--json",
                       "--quiet", "--out",      out});
  };
  const Outcome first = rounds("2", "run");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NEAR(first.json()["epsilon_without_delta"].get<double>(), .5, 1e-12);  // two of 2/8
  EXPECT_NE(shop.get("run/plan.toml").find("kind = 'laplace'"), std::string::npos);
  EXPECT_NE(shop.sotto({"show", "run"}).out.find("0.5 without delta"), std::string::npos);
  EXPECT_NE(shop.sotto({"privacy", "budget", "b.json"}).out.find("Laplace, noise 4"), std::string::npos);
  EXPECT_EQ(rounds("3", "second").code, 1);
  const Outcome shares = shop.sotto({"train", "--data", "world.tsv", "--sum", "secure", "--dp", "distributed",
                                     "--dp-kind", "laplace", "--dp-epsilon", "8"});
  EXPECT_EQ(shares.code, 2);
  EXPECT_NE(shares.err.find("do not add up to Laplace noise"), std::string::npos) << shares.err;
}

TEST(CliPrivacy, plan_prints_a_table_and_a_page) {
  const Workshop shop;
  const Outcome outcome = shop.sotto(
      {"privacy", "plan", "--population", "1000", "--cohort", "50", "--rounds", "20", "--out", "plan.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("What noise an epsilon needs"), std::string::npos);
  EXPECT_NE(shop.get("plan.html").find("<svg"), std::string::npos);
  EXPECT_TRUE(shop.has("plan/plots/epsilon-by-noise.svg"));
}

TEST(CliPrivacy, plan_refuses_what_cannot_be) {
  const Workshop shop;
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--cohort", "10"},
                                             {"--cohort", "10", "--population", "5"},
                                             {"--sampling", "2"},
                                             {"--sampling", "0.1", "--cohort", "1", "--population", "2"},
                                             {"--rounds", "0"},
                                             {"--delta", "0"},
                                             {"--noise", "0"},
                                             {"--epsilon", "-1"},
                                             {"--kind", "loud"},
                                             {"--kind", "laplace", "--noise", "0.01"},
                                             {"--out", "noending"}}) {
    std::vector<std::string> words{"privacy", "plan"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(shop.sotto(words).code, 2) << wrong.back();
  }
}

TEST(CliPrivacy, training_is_charged_and_refused_when_the_budget_is_spent) {
  const Workshop shop;
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "120", "--items", "90", "--out", "world.tsv"}).code,
            0);
  ASSERT_EQ(shop.sotto({"privacy", "budget", "b.json", "--epsilon", "5"}).code, 0);
  EXPECT_EQ(shop.sotto({"privacy", "budget", "b.json", "--epsilon", "50"}).code, 2) << "never started anew";
  const std::vector<std::string> words{"train",    "--data",     "world.tsv", "--model",     "fedease",
                                       "--lambda", "10",         "--dp",      "central",     "--dp-epsilon",
                                       "4",        "--dp-items", "30",        "--dp-budget", "b.json",
                                       "--json",   "--out",      "run"};
  const Outcome first = shop.sotto(words);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NEAR(first.json()["epsilon"].get<double>(), 4.0, 1e-3);
  EXPECT_EQ(first.json()["delta"], 1e-6);
  EXPECT_GT(first.json()["noise"].get<double>(), 1.0);
  const auto spent = shop.sotto({"privacy", "budget", "b.json", "--json"}).json();
  EXPECT_NEAR(spent["spent"].get<double>(), 4.0, 1e-3);
  ASSERT_EQ(spent["charges"].size(), 2u);
  // Asking the run's model again is no new release.
  EXPECT_EQ(shop.sotto({"evaluate", "--run", "run"}).code, 0);
  EXPECT_EQ(shop.sotto({"privacy", "budget", "b.json", "--json"}).json(), spent);
  const Outcome second = shop.sotto({"train", "--data", "world.tsv", "--model", "fedease", "--dp", "central",
                                     "--dp-epsilon", "4", "--dp-budget", "b.json", "--seed", "2"});
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("the privacy budget is spent"), std::string::npos) << second.err;
  EXPECT_EQ(shop.sotto({"privacy", "budget", "b.json", "--json"}).json(), spent)
      << "a run that cannot end costs nothing";
  // Of rounds neither, also where some of them could be paid for.
  const Outcome rounds =
      shop.sotto({"train", "--data", "world.tsv", "--variant", "pfpl+", "--epochs", "5", "--dp", "central",
                  "--dp-epsilon", "4", "--dp-budget", "b.json", "--out", "rounds"});
  EXPECT_EQ(rounds.code, 1);
  EXPECT_NE(rounds.err.find("Nothing was charged"), std::string::npos) << rounds.err;
  EXPECT_EQ(shop.sotto({"privacy", "budget", "b.json", "--json"}).json(), spent);
  const Outcome table = shop.sotto({"privacy", "budget", "b.json"});
  EXPECT_NE(table.out.find("popularity"), std::string::npos) << table.out;
}

// Rounds of everybody, each with noise.
Words noisy_run(const char* epochs, const char* noise) {
  return {"train",
          "--data",
          "world.tsv",
          "--epochs",
          epochs,
          "--cohort",
          "1",
          "--factors",
          "4",
          "--dp",
          "central",
          "--dp-noise",
          noise,
          "--dp-budget",
          "b.json",
          "--quiet",
          "--out",
          "run",
          "--checkpoint-seconds",
          "0"};
}

TEST(CliPrivacy, a_resumed_run_is_charged_to_the_budget_it_began_with) {
  const Workshop shop;
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "60", "--items", "50", "--out", "world.tsv"}).code, 0);
  ASSERT_EQ(shop.sotto({"privacy", "budget", "b.json", "--epsilon", "1"}).code, 0);
  ASSERT_EQ(shop.sotto({"privacy", "budget", "large.json", "--epsilon", "100"}).code, 0);
  const Outcome spent = shop.sotto(noisy_run("3", "4.6"));  // enough for one round
  EXPECT_EQ(spent.code, 1);
  EXPECT_NE(spent.err.find("the privacy budget is spent"), std::string::npos) << spent.err;
  for (const Words& more : {Words{}, Words{"--dp-budget", "b.json"}}) {
    Words words{"train", "--resume", "--out", "run"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome again = shop.sotto(words);
    EXPECT_EQ(again.code, 1);
    EXPECT_NE(again.err.find("the privacy budget is spent"), std::string::npos) << again.err;
  }
  EXPECT_EQ(shop.sotto({"train", "--resume", "--out", "run", "--dp-budget", "large.json"}).code, 2);
  EXPECT_FALSE(shop.has("run/run.json"));
  shop.put("b.json", shop.get("large.json"));
  const Outcome whole = shop.sotto({"train", "--resume", "--out", "run", "--json", "--quiet"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_GT(whole.json()["epsilon"].get<double>(), 1.0);
  EXPECT_GT(shop.sotto({"privacy", "budget", "b.json", "--json"}).json()["spent"].get<double>(), 0.0);
}

TEST(CliPrivacy, a_stopped_run_says_how_to_go_on_with_its_budget) {
  const Workshop shop;
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "60", "--items", "50", "--out", "world.tsv"}).code, 0);
  ASSERT_EQ(shop.sotto({"privacy", "budget", "b.json", "--epsilon", "100000"}).code, 0);
  const pid_t process = shop.start(noisy_run("100000", "10"));
  for (int tries = 0; tries < 2000 && !shop.has("run/checkpoint.bin"); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(process, SIGINT);
  const Outcome stopped = shop.finish(process);
  EXPECT_EQ(stopped.code, 130);
  EXPECT_NE(stopped.err.find("sotto train --resume --out run --dp-budget b.json"), std::string::npos)
      << stopped.err;
}

TEST(CliPrivacy, distributed_noise_wants_a_secure_sum) {
  const Workshop shop;
  const Outcome outcome =
      shop.sotto({"train", "--data", "x", "--model", "fedease", "--dp", "distributed", "--dp-epsilon", "8"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--sum secure"), std::string::npos) << outcome.err;
}

TEST(CliPrivacy, a_budget_that_is_none_is_refused) {
  const Workshop shop;
  shop.put("b.json", "{}");
  EXPECT_EQ(shop.sotto({"privacy", "budget", "b.json"}).code, 1);
  EXPECT_EQ(shop.sotto({"privacy", "budget", "missing.json"}).code, 1);
  EXPECT_EQ(
      shop.sotto({"train", "--data", "x", "--model", "ease", "--dp", "central", "--dp-epsilon", "1"}).code,
      2);
}

TEST(CliPrivacy, curve_has_a_point_for_each_epsilon) {
  const Workshop shop;
  ASSERT_EQ(shop.sotto({"data", "generate", "--users", "120", "--items", "90", "--out", "world.tsv"}).code,
            0);
  const Outcome outcome = shop.sotto({"privacy", "curve", "--data", "world.tsv", "--epsilon", "1,8",
                                      "--seeds", "2", "--dp-items", "30", "--out", "curve.html", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  ASSERT_EQ(json["points"].size(), 2u);
  EXPECT_EQ(json["points"][1]["values"].size(), 2u);
  EXPECT_NEAR(json["points"][1]["spent"].get<double>(), 8.0, 2e-3);
  EXPECT_GT(json["points"][0]["noise"].get<double>(), json["points"][1]["noise"].get<double>());
  EXPECT_TRUE(shop.has("curve/plots/quality-by-epsilon.svg"));
}

}  // namespace
}  // namespace sotto::cli
