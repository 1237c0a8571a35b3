// A coordinator, a fleet that judges its versions, and what an operator sees and takes home, as processes.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "tests/cli/program.h"

namespace sotto::cli::live_evaluation_test {
namespace {

class LiveEvaluationByCommands : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_EQ(shop_.sotto({"data", "generate", "--users", "30", "--items", "40", "--out", "world"}).code, 0);
    ASSERT_EQ(shop_.sotto({"data", "items", "--data", data, "--out", "items.tsv"}).code, 0);
    ASSERT_EQ(shop_.sotto({"certs", "--out", "certs", "--host", "127.0.0.1"}).code, 0);
    shop_.put("coordinator.toml",
              "listen = \"127.0.0.1:0\"\nstatus = \"\"\n[limits]\nretry_min_s = 0.1\nretry_max_s = "
              "0.2\n[task.films]\nitems = \"items.tsv\"\nmodel = \"" +
                  std::string(GetParam()) +
                  "\"\nfactors = 4\ngoal = 30\nquorum = 20\nrounds = 3\nevaluate_holdout = 2\n"
                  "evaluate_coverage = true\ngather_s = 2\nround_s = 5\n");
    process_ = shop_.start({"serve", "--config", "coordinator.toml", "--json"});
    for (int tries = 0; tries < 600 && !where().is_object(); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ASSERT_TRUE(where().is_object()) << shop_.errors_so_far(*process_);
  }
  void TearDown() override {
    if (!process_) return;
    ::kill(*process_, SIGTERM);
    EXPECT_EQ(shop_.finish(*process_).code, 0);
  }
  [[nodiscard]] nlohmann::json where() const {
    return nlohmann::json::parse(shop_.output_so_far(*process_), nullptr, false);
  }
  [[nodiscard]] nlohmann::json versions() const { return shop_.sotto({"ctl", "versions", "--json"}).json(); }
  // Plays the devices until the newest version was judged.
  void play() {
    const pid_t fleet = shop_.start({"fleet", "--server", where()["address"].get<std::string>(), "--ca",
                                     "certs/ca.pem", "--admin", "unix:state/admin.sock", "--data", data,
                                     "--evaluation", "--seconds", "60", "--quiet"});
    const auto is_judged = [](const nlohmann::json& listed) {
      return listed.size() == 4 && listed[0].contains("evaluation");
    };
    for (int tries = 0; tries < 300 && !is_judged(versions()); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(fleet, SIGTERM);
    const Outcome played = shop_.finish(fleet);
    EXPECT_EQ(played.code, 130) << played.err;
  }

  static constexpr const char* data = "world/interactions.tsv";
  Workshop shop_;
  std::optional<pid_t> process_;
};

TEST_P(LiveEvaluationByCommands, AVersionIsJudgedAndBecomesARun) {
  play();
  const auto listed = versions();
  ASSERT_EQ(listed.size(), 4u) << listed.dump();
  ASSERT_TRUE(listed[0].contains("evaluation")) << listed.dump();
  EXPECT_GE(listed[0]["evaluation"]["people"], 20);
  const std::string text = shop_.sotto({"ctl", "versions"}).out;
  EXPECT_NE(text.find("nDCG@10"), std::string::npos) << text;

  const Outcome made = shop_.sotto({"ctl", "export", "--run", "newest", "--data", data, "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["released"]["version"], 3);
  EXPECT_EQ(made.json()["released"]["items"], made.json()["released"]["items_in_data"]);
  EXPECT_EQ(made.json()["model_hash"], listed[0]["model_hash"]) << "the same items in the same order";
  EXPECT_EQ(shop_.sotto({"show", "newest"}).code, 0);
  const Outcome judged = shop_.sotto({"evaluate", "--run", "newest", "--json"});
  ASSERT_EQ(judged.code, 0) << judged.err;
  EXPECT_EQ(judged.json()["metrics"], made.json()["metrics"]);
  const Outcome user = shop_.sotto({"recommend", "--run", "newest", "--all", "--json"});
  EXPECT_EQ(user.code, 0) << user.err;
  ASSERT_EQ(shop_.sotto({"ctl", "export", "--version", "1", "--run", "first", "--data", data}).code, 0);
  const Outcome compared = shop_.sotto({"compare", "newest", "first"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(shop_.sotto({"ctl", "export", "--run", "first", "--data", data}).code, 2) << "a run is there";

  const Outcome back = shop_.sotto({"ctl", "release", "--version", "1"});
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(versions()[0]["again"], 1);
}

INSTANTIATE_TEST_SUITE_P(OfModels, LiveEvaluationByCommands, testing::Values("fpl", "fedals", "fcf"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace sotto::cli::live_evaluation_test
