#include "engine/train/run_dir.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data/generate.h"
#include "engine/train/direct_model.h"
#include "engine/train/session.h"

namespace sotto::engine {
namespace {

namespace fs = std::filesystem;

const Split& run_world() {
  static const Split split =
      split_dataset(generate_world({.users = 40, .items = 50, .mean_interactions = 10.0, .seed = 3}).value(),
                    {})
          .value();
  return split;
}

TrainRequest run_request(std::string_view model) {
  TrainRequest request;
  request.data.paths = {"generated"};
  request.model = model;
  request.plan.fpl.factors = 3;
  request.plan.epochs = 2;
  EXPECT_TRUE(settle(request).ok());
  return request;
}

// A folder of its own that is gone afterwards, and a run in it.
class RunDirTest : public ::testing::Test {
 public:
  RunDirTest() {
    std::string pattern = (fs::temp_directory_path() / "sotto-run-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~RunDirTest() override { fs::remove_all(folder_); }

 protected:
  // `damage` may spoil the model before it is written.
  void make_run(std::string_view model = "fpl", void (*damage)(Trained&) = nullptr) const {
    const TrainRequest request = run_request(model);
    ASSERT_TRUE(dir().begin(request, run_world()).ok());
    SerialExecutor serial;
    TrainHooks hooks;
    Session session;
    session.trained = train(request, run_world(), serial, hooks).value();
    session.evaluation = evaluate(*session.trained.model, run_world(), {}, serial).value();
    if (damage != nullptr) damage(session.trained);
    ASSERT_TRUE(dir()
                    .finish(run_world(), session.trained, session.evaluation,
                            metrics_of(session.evaluation, Part::test),
                            summary_of(request, run_world(), session))
                    .ok());
  }
  [[nodiscard]] RunDir dir() const { return RunDir(folder_ / "run"); }
  [[nodiscard]] fs::path at(const char* name) const { return folder_ / "run" / name; }
  void put(const char* name, const std::string& text) const {
    fs::create_directories(folder_ / "run");
    std::ofstream(at(name), std::ios::binary) << text;
  }
  [[nodiscard]] std::string get(const char* name) const {
    std::ostringstream text;
    text << std::ifstream(at(name), std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] Result<LoadedRun> load() const {
    SerialExecutor serial;
    return load_run(dir().path(), serial);
  }
  // The run is refused with this code, and the message says each of the words.
  void refused(Code code, const std::vector<std::string>& words) const {
    const auto run = load();
    ASSERT_FALSE(run.ok());
    EXPECT_EQ(run.error().code, code) << run.error().message;
    for (const std::string& word : words)
      EXPECT_NE(run.error().message.find(word), std::string::npos) << word << ": " << run.error().message;
  }
  // With `json` for its run.json the run is called damaged, and the message says the word.
  void summary_refused(const nlohmann::json& json, const std::string& word) const {
    put("run.json", json.dump());
    const auto summary = dir().summary();
    ASSERT_FALSE(summary.ok()) << json.dump();
    EXPECT_EQ(summary.error().code, Code::bad_input) << summary.error().message;
    for (const std::string& said : {std::string("damaged"), std::string("run.json"), word})
      EXPECT_NE(summary.error().message.find(said), std::string::npos) << summary.error().message;
  }

  fs::path folder_;
};

TEST_F(RunDirTest, a_run_is_read_as_it_was_written) {
  for (const std::string_view model : {"fpl", "bprmf", "toppop"}) {
    make_run(model);
    const auto run = load();
    ASSERT_TRUE(run.ok()) << run.error().message;
    EXPECT_EQ(run->split->hash, run_world().hash);
    EXPECT_EQ(to_toml(run->request), to_toml(run_request(model)));
    ASSERT_TRUE(dir().clear().ok());
    EXPECT_TRUE(fs::is_empty(dir().path()));
  }
}

TEST_F(RunDirTest, any_changed_byte_of_the_parameters_is_refused) {
  make_run();
  for (const char* name : {"model.bin", "devices.bin"}) {
    const std::string whole = get(name);
    for (std::size_t n = 0; n < whole.size(); n += n < 32 || n + 80 > whole.size() ? 1 : 13) {
      std::string changed = whole;
      changed[n] = static_cast<char>(changed[n] ^ 1);
      put(name, changed);
      const auto run = load();
      ASSERT_FALSE(run.ok()) << name << ' ' << n;
      EXPECT_NE(run.error().message.find(at(name).string()), std::string::npos);
      EXPECT_NE(run.error().message.find("train again"), std::string::npos) << run.error().message;
    }
    put(name, whole.substr(0, whole.size() - 1));
    refused(Code::bad_input, {name, "damaged", "train again"});
    put(name, whole);
  }
  EXPECT_TRUE(load().ok());
}

TEST_F(RunDirTest, a_plan_with_other_factors_than_the_model_is_refused) {
  make_run("bprmf");
  std::string plan = get("plan.toml");
  const std::size_t at_factors = plan.find("factors = ");
  ASSERT_NE(at_factors, std::string::npos);
  plan.replace(at_factors, plan.find('\n', at_factors) - at_factors, "factors = 77");
  put("plan.toml", plan);
  refused(Code::bad_input, {"do not belong together", "train again"});
}

TEST_F(RunDirTest, a_well_formed_model_of_another_run_is_refused) {
  make_run();
  const std::string model = get("model.bin");
  ASSERT_TRUE(dir().clear().ok());
  make_run("bprmf");
  const std::string own = get("model.bin");
  put("model.bin", model);
  refused(Code::bad_input, {"model.bin", "run.json", "train again"});
  put("model.bin", own);
  put("devices.bin", own);  // the wrong kind
  refused(Code::bad_input, {"devices.bin", "train again"});
}

TEST_F(RunDirTest, values_that_are_no_numbers_are_refused) {
  make_run("fpl", [](Trained& trained) {
    trained.parameters->users.on_device().row(1)[2] = std::numeric_limits<float>::quiet_NaN();
  });
  refused(Code::bad_input, {"devices.bin", "finite", "train again"});
  ASSERT_TRUE(dir().clear().ok());
  make_run("fpl", [](Trained& trained) {
    trained.parameters->items.row(0)[0] = std::numeric_limits<float>::infinity();
  });
  refused(Code::bad_input, {"model.bin", "finite", "train again"});
}

TEST_F(RunDirTest, missing_and_damaged_parts_are_named) {
  make_run();
  for (const char* name : {"model.bin", "devices.bin", "split.bin"}) {
    const std::string whole = get(name);
    fs::remove(at(name));
    refused(Code::bad_input, {at(name).string(), "missing", "damaged", "train again"});
    put(name, whole);
  }
  const std::string split = get("split.bin");
  for (const std::size_t n : {std::size_t{0}, std::size_t{5}, split.size() / 2, split.size() - 1}) {
    std::string changed = split;
    changed[n] = static_cast<char>(~changed[n]);
    put("split.bin", changed);
    refused(Code::bad_input, {at("split.bin").string(), "the run is damaged", "train again"});
    EXPECT_EQ(load().error().message.find("data split"), std::string::npos);
  }
}

TEST_F(RunDirTest, a_model_that_is_made_again_is_the_one_that_was_named) {
  make_run("itemknn");
  auto summary = nlohmann::json::parse(get("run.json"));
  ASSERT_TRUE(load().ok());
  summary["model_hash"] = std::string(64, '0');
  put("run.json", summary.dump());
  refused(Code::bad_input, {"is not the one that run.json names", "damaged", "train again"});
  summary["format"] = 1;  // the hash was of its settings alone
  put("run.json", summary.dump());
  EXPECT_TRUE(load().ok()) << "a run of version 0.1.0";
}

TEST_F(RunDirTest, private_files_are_their_owners_alone) {
  make_run();
  ASSERT_TRUE(dir().save(Checkpoint{}).ok());
  for (const char* name : {"devices.bin", "checkpoint.bin"})
    EXPECT_EQ(fs::status(at(name)).permissions(), fs::perms::owner_read | fs::perms::owner_write) << name;
}

TEST_F(RunDirTest, a_folder_with_any_file_of_a_run_is_left_alone) {
  for (const char* name : {"plan.toml", "run.json", "split.bin", "model.bin", "devices.bin", "metrics.json",
                           "per_user.tsv", "rounds.jsonl", "checkpoint.bin"}) {
    put(name, "mine");
    for (const Status& status : {dir().begin(run_request("fpl"), run_world()), dir().clear()}) {
      ASSERT_FALSE(status.ok()) << name;
      EXPECT_EQ(status.error().code, Code::usage);
      EXPECT_NE(status.error().message.find(name), std::string::npos) << status.error().message;
      EXPECT_NE(status.error().message.find("--out"), std::string::npos);
      EXPECT_EQ(status.error().message.find("--force"), std::string::npos);
    }
    EXPECT_EQ(get(name), "mine");
    EXPECT_EQ(std::distance(fs::directory_iterator(dir().path()), {}), 1);
    fs::remove(at(name));
  }
}

TEST_F(RunDirTest, only_a_run_is_cleared_and_of_it_only_what_is_its_own) {
  put("plan.toml", "this is no plan\n");
  put("split.bin", "mine");
  EXPECT_EQ(dir().clear().error().code, Code::usage);
  put("plan.toml", "[model]\nepochs = 3\n");
  fs::remove(at("split.bin"));
  EXPECT_EQ(dir().clear().error().code, Code::usage);  // a plan somebody wrote
  EXPECT_TRUE(fs::exists(at("plan.toml")));
  fs::remove(at("plan.toml"));
  put("notes.txt", "mine");
  EXPECT_TRUE(dir().clear().ok());
  make_run();
  const Status again = dir().begin(run_request("fpl"), run_world());
  for (const char* word : {"run.json", "--out", "--resume", "--force"})
    EXPECT_NE(again.error().message.find(word), std::string::npos) << again.error().message;
  EXPECT_TRUE(dir().clear().ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(dir().path()), {}), 1);
  EXPECT_EQ(get("notes.txt"), "mine");
  EXPECT_TRUE(RunDir(folder_ / "absent").clear().ok());
}

TEST_F(RunDirTest, what_the_system_refuses_is_an_error_with_the_path) {
  fs::create_symlink("run", folder_ / "run");  // a link to itself: no look gets through
  const RunDir under(folder_ / "run" / "below");
  EXPECT_FALSE(under.is_whole());
  EXPECT_FALSE(under.has_checkpoint());
  const std::vector<Error> errors{under.begin(run_request("fpl"), run_world()).error(),
                                  under.clear().error(),
                                  under.request().error(),
                                  under.split().error(),
                                  under.summary().error(),
                                  under.checkpoint().error()};
  for (const Error& error : errors) {
    EXPECT_EQ(error.code, Code::io) << error.message;
    EXPECT_NE(error.message.find((folder_ / "run" / "below").string()), std::string::npos) << error.message;
  }
}

TEST_F(RunDirTest, a_run_json_of_the_wrong_kind_is_damaged) {
  make_run();
  const auto good = nlohmann::json::parse(get("run.json"));
  for (const nlohmann::json& json :
       {nlohmann::json(), nlohmann::json(1), nlohmann::json::array({1}), nlohmann::json::object()})
    summary_refused(json, "format");
  summary_refused({{"format", 1}}, "version");
  nlohmann::json changed = good;
  changed["metrics"]["P@10"] = "high";
  summary_refused(changed, "metrics");
  changed = good;
  changed["users"] = -1;
  summary_refused(changed, "users");
  changed = good;
  changed["best_epoch"] = "last";
  summary_refused(changed, "best_epoch");
  put("run.json", good.dump().substr(0, 40));
  EXPECT_EQ(dir().summary().error().code, Code::bad_input);
  put("run.json", good.dump());
  EXPECT_TRUE(dir().summary().ok());
}

TEST_F(RunDirTest, every_field_of_run_json_that_is_read_is_checked) {
  make_run();
  const auto good = nlohmann::json::parse(get("run.json"));
  std::istringstream keys(
      "format version model model_hash split_hash seed users items train_interactions "
      "validation_interactions test_interactions users_without_training users_without_test judged_users "
      "triples rounds exchanges bytes_up bytes_down seconds triples_per_second metrics variant cohort "
      "triples_per_visit rounds_per_epoch");
  for (std::string key; keys >> key;) {
    nlohmann::json changed = good;
    changed[key] = good.at(key).is_string() ? nlohmann::json(1) : nlohmann::json("one");
    summary_refused(changed, key);
    if (key == "variant") continue;  // runs of other models have none
    changed.erase(key);
    summary_refused(changed, key);
  }
}

TEST_F(RunDirTest, another_format_is_said_before_anything_else) {
  make_run();
  put("run.json", R"({"format": 999, "users": "many"})");
  refused(Code::incompatible, {"999", "train again"});
  // A stopped run has no run.json; its plan may hold what this program does not know.
  put("plan.toml", "# A run of Sotto, format 999\nunknown = true\n");
  const auto request = dir().request();
  ASSERT_FALSE(request.ok());
  EXPECT_EQ(request.error().code, Code::incompatible);
  EXPECT_NE(request.error().message.find("999"), std::string::npos);
}

// A run of the version before that was stopped: its checkpoint is of no use here.
TEST_F(RunDirTest, AStoppedRunSaysHowItGoesOn) {
  ASSERT_TRUE(dir().begin(run_request("fpl"), run_world()).ok());
  const auto now = dir().summary();
  ASSERT_FALSE(now.ok());
  EXPECT_NE(now.error().message.find("--resume"), std::string::npos) << now.error().message;
  put("plan.toml", "# A run of Sotto, format 1\n" + get("plan.toml").substr(get("plan.toml").find('\n') + 1));
  const auto before = dir().summary();
  ASSERT_FALSE(before.ok());
  EXPECT_EQ(before.error().message.find("--resume"), std::string::npos) << before.error().message;
  EXPECT_NE(before.error().message.find("--force"), std::string::npos) << before.error().message;
}

}  // namespace
}  // namespace sotto::engine
