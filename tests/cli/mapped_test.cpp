// Saved splits as mapped files, scratch files and the memory check, seen from outside.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/cli/program.h"

namespace sotto::cli {
namespace {

class CliMapped : public ::testing::Test {
 public:
  CliMapped() {
    EXPECT_EQ(shop_.sotto({"data", "generate", "--users", "200", "--items", "150", "--out", "w.split"}).code,
              0);
  }

 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return (shop_.folder() / name).string(); }
  Workshop shop_;
};

TEST_F(CliMapped, a_split_cut_short_while_in_use_is_an_error_not_a_crash) {
  const pid_t process = shop_.start({"train", "--split-file", "w.split", "--variant", "sfpl", "--epochs",
                                     "100000", "--quiet", "--out", "run"});
  for (int tries = 0; tries < 2000 && !shop_.has("run/rounds.jsonl"); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(::truncate(file("w.split").c_str(), 64), 0);
  const Outcome outcome = shop_.finish(process);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("sotto: 'w.split' was cut short"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("make it again"), std::string::npos) << outcome.err;
}

TEST_F(CliMapped, a_damaged_split_is_refused_by_name) {
  const std::string whole = shop_.get("w.split");
  shop_.put("cut.split", whole.substr(0, whole.size() / 2));
  std::string old = whole;
  old[12] = 1;
  shop_.put("old.split", old);
  for (const char* name : {"cut.split", "old.split"}) {
    const Outcome outcome = shop_.sotto({"train", "--split-file", name});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find(name), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("sotto data split"), std::string::npos) << outcome.err;
    EXPECT_EQ(shop_.sotto({"data", "inspect", name}).code, 1);
  }
}

TEST_F(CliMapped, inspect_checks_a_saved_split_and_counts_it) {
  const Outcome outcome = shop_.sotto({"data", "inspect", "w.split", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["users"], 200);
  EXPECT_EQ(json["checked"], true);
  const auto generated =
      shop_.sotto({"data", "generate", "--users", "200", "--items", "150", "--out", "w2.split", "--json"})
          .json();
  EXPECT_EQ(json["train_interactions"].get<int>() + json["test_interactions"].get<int>(),
            generated["interactions"].get<int>());
  EXPECT_NE(shop_.sotto({"data", "inspect", "w.split"}).out.find("200"), std::string::npos);
}

TEST_F(CliMapped, scratch_gives_the_same_model_and_leaves_nothing) {
  std::filesystem::create_directory(shop_.folder() / "scratch");
  const Outcome memory = shop_.sotto({"train", "--split-file", "w.split", "--epochs", "2", "--json"});
  const Outcome disk =
      shop_.sotto({"train", "--split-file", "w.split", "--epochs", "2", "--json", "--scratch", "scratch"});
  ASSERT_EQ(disk.code, 0) << disk.err;
  EXPECT_EQ(disk.json()["model_hash"], memory.json()["model_hash"]);
  EXPECT_EQ(disk.json()["metrics"], memory.json()["metrics"]);
  EXPECT_TRUE(std::filesystem::is_empty(shop_.folder() / "scratch"));
  const Outcome nowhere = shop_.sotto({"train", "--split-file", "w.split", "--scratch", "absent"});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_NE(nowhere.err.find("absent"), std::string::npos) << nowhere.err;
}

TEST_F(CliMapped, a_plan_without_memory_is_refused_before_it_starts) {
  const Outcome refused =
      shop_.sotto({"train", "--split-file", "w.split", "--memory", "0.01", "--out", "run"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("the plan needs about"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("0.01 GB are available"), std::string::npos) << refused.err;
  EXPECT_FALSE(shop_.has("run"));
  EXPECT_EQ(shop_.sotto({"train", "--split-file", "w.split", "--memory", "-1"}).code, 2);
  EXPECT_EQ(shop_.sotto({"train", "--split-file", "w.split", "--memory", "4", "--epochs", "1"}).code, 0);
  EXPECT_EQ(shop_.sotto({"train", "--split-file", "w.split", "--factors", "5000"}).code, 2);
}

}  // namespace
}  // namespace sotto::cli
