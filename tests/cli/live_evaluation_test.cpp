// A coordinator, a fleet that judges its versions, and what an operator sees and takes home, as processes.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <sstream>
#include <thread>

#include "tests/cli/program.h"

namespace sotto::cli::live_evaluation_test {
namespace {

struct OfModel {
  const char* model;
  std::string task;    // beside what every task here has
  Words data;          // beside --data, for the run
  Words train = {};    // what `sotto train` is told to make the same; empty: it makes something else
  bool rows = false;   // a run holds the version's rows as they are
  bool rated = false;  // its data are ratings
  std::uint32_t rounds = 3;
  std::uint32_t popular = 0;  // its pairs are of so many items alone; 0: of all
  bool examples = false;      // its devices have pictures of ten classes
};

const std::vector<OfModel>& usual_models() {
  static const std::string kg = "[task.films.catalogue]\nkg = [\"features.tsv\"]\nkg_min_items = 1\n";
  static const std::string rated =
      "[task.films.catalogue]\nrating_scale = \"1:5\"\n"
      "contexts = [\"interval\", \"daypart\", \"person\"]\nperson_values = \"ages.tsv\"\n";
  static const std::vector<OfModel> all{
      {"fpl", "factors = 4\n", {}, {}, true},
      {"fedals", "factors = 4\n", {}, {}, true},
      {"fcf", "factors = 4\n", {}, {}, true},
      {"fedease",
       "lambda = 30.0\ngram_power = 0.5\n",
       {},
       {"--lambda", "30", "--gram-power", "0.5"},
       false,
       false,
       1},
      {"feditemknn",
       "neighbors = 7\nsimilarity = \"jaccard\"\n",
       {},
       {"--neighbors", "7", "--similarity", "jaccard"},
       false,
       false,
       1},
      {"fedrp3beta",
       "alpha = 0.8\nrecency = 4.0\n",
       {},
       {"--alpha", "0.8", "--recency", "4"},
       false,
       false,
       1},
      {"kgflex",
       "factors = 4\nfirst_hop = 9\n" + kg,
       {"--kg", "features.tsv", "--kg-min-items", "1"},
       {},
       true},
      {"fedcars",
       "factors = 4\nchoices = \"no\"\n" + rated,
       {"--contexts", "interval", "daypart", "person", "--people", "people.tsv"},
       {},
       false,
       true},
      {"fedmultvae", "hidden = 12\nlatent = 4\nlr = 0.05\n", {}},
      {"fedneumf", "factors = 4\nlayers = [8, 4]\n", {}}};
  return all;
}

// And those of item pairs, of the most popular items alone.
std::vector<OfModel> models() {
  std::vector<OfModel> all = usual_models();
  for (OfModel one : usual_models()) {
    if (one.train.empty()) continue;
    one.popular = 12;
    one.task += "pair_items = 12\npair_bytes = 100000\n";
    one.train = joined(one.train, {"--pair-items", "12", "--sum", "secure"});
    all.push_back(one);
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<OfModel>& each) {
  return std::string(each.param.model) + (each.param.popular > 0 ? "OfPopularItems" : "");
}

class ACoordinatorOf : public testing::TestWithParam<OfModel> {
 protected:
  void begin(const std::string& more) {
    Words generate{"data", "generate", "--users", "30", "--items", "40", "--out", "world"};
    const Words beside =
        GetParam().rated ? Words{"--ratings", "--people", "people.tsv"} : Words{"--kg", "features.tsv"};
    shop_.put("ages.tsv", "age\t18-29\nage\t30-44\nage\t45-59\nage\t60-89\n");
    ASSERT_EQ(shop_.sotto(joined(generate, beside)).code, 0);
    ASSERT_EQ(shop_.sotto({"data", "items", "--data", data, "--out", "items.tsv"}).code, 0);
    if (GetParam().examples) shop_.put("items.tsv", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    ASSERT_EQ(shop_.sotto({"certs", "--out", "certs", "--host", "127.0.0.1"}).code, 0);
    shop_.put("coordinator.toml",
              "listen = \"127.0.0.1:0\"\nstatus = \"\"\n[limits]\nretry_min_s = 0.1\nretry_max_s = 0.2\n"
              "[task.films]\nitems = \"items.tsv\"\nmodel = \"" +
                  std::string(GetParam().model) + "\"\nquorum = 20\ngather_s = 2\nround_s = 10\n" + more +
                  GetParam().task);
    start();
  }
  void start() {
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
  [[nodiscard]] Words fleet(const Words& how) const {
    const Words people = GetParam().rated ? Words{"--people", "people.tsv"} : Words{};
    const Words with = GetParam().examples ? joined(pictures, {"--collection", "digits", "--deal-to", "24"})
                                           : joined({"--data", data}, people);
    return joined({"fleet", "--server", where()["address"].get<std::string>(), "--ca", "certs/ca.pem",
                   "--admin", "unix:state/admin.sock", "--quiet"},
                  joined(with, how));
  }
  // Plays the devices until `is_enough` of the versions.
  template <class IsEnough>
  void play(const Words& how, const IsEnough& is_enough) {
    const pid_t process = shop_.start(fleet(joined(how, {"--seconds", "60"})));
    for (int tries = 0; tries < 300 && !is_enough(versions()); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(process, SIGTERM);
    const Outcome played = shop_.finish(process);
    EXPECT_EQ(played.code, 130) << played.err;
  }
  [[nodiscard]] Outcome made(const Words& how) const {
    const Words from = GetParam().examples ? joined(pictures, {"--devices", "24"}) : Words{"--data", data};
    return shop_.sotto(joined(joined({"ctl", "export", "--json"}, from), joined(GetParam().data, how)));
  }
  [[nodiscard]] nlohmann::json where() const {
    return nlohmann::json::parse(shop_.output_so_far(*process_), nullptr, false);
  }
  [[nodiscard]] nlohmann::json versions() const { return shop_.sotto({"ctl", "versions", "--json"}).json(); }

  static constexpr const char* data = "world/interactions.tsv";
  inline static const Words pictures{"--generate", "--examples", "480", "--deal", "shards"};
  Workshop shop_;
  std::optional<pid_t> process_;
};

class LiveEvaluationByCommands : public ACoordinatorOf {};
class AVersionOnTrial : public ACoordinatorOf {};

TEST_P(AVersionOnTrial, StaysOnTrialOverAKillUntilItIsPromoted) {
  begin("goal = 20\nrounds = 4\ncanary_share = 0.5\n");
  play({}, [](const nlohmann::json& listed) { return listed.size() == 3; });
  const auto before = versions();
  ASSERT_EQ(before.size(), 3u) << before.dump();
  EXPECT_EQ(before[0]["trial"], nlohmann::json::parse(R"({"stable":1,"share":0.5,"state":"open"})"));
  const std::string status = shop_.sotto({"ctl", "status"}).out;
  EXPECT_NE(status.find("give it to all:  sotto ctl promote --task films\n"), std::string::npos) << status;
  ::kill(*process_, SIGKILL);
  EXPECT_EQ(shop_.finish(*process_).code, 128 + SIGKILL);
  start();
  EXPECT_EQ(versions(), before);
  EXPECT_NE(shop_.sotto({"ctl", "release", "--version", "2"}).err.find("promote it"), std::string::npos);
  ASSERT_EQ(shop_.sotto({"ctl", "promote"}).code, 0);
  EXPECT_EQ(versions()[0]["trial"]["state"], "promoted");
  EXPECT_EQ(shop_.sotto({"ctl", "promote"}).code, 1);
  EXPECT_EQ(shop_.sotto({"ctl", "release", "--version", "1", "--share", "0.1"}).code, 0);
  EXPECT_EQ(versions()[0]["trial"]["stable"], 2);
}

INSTANTIATE_TEST_SUITE_P(OfModels, AVersionOnTrial, testing::Values(models()[1]), name_of);

TEST_P(LiveEvaluationByCommands, AVersionIsJudgedAndBecomesARun) {
  const std::uint32_t rounds = GetParam().rounds, earlier = rounds > 1 ? 1 : 0;
  begin("goal = 20\nrounds = " + std::to_string(rounds) +
        "\nevaluate_holdout = 2\nevaluate_coverage = true\n");
  play({"--evaluation"}, [&](const nlohmann::json& listed) {
    return listed.size() == rounds + 1 && listed[0].contains("evaluation");
  });
  const auto listed = versions();
  ASSERT_EQ(listed.size(), rounds + 1) << listed.dump();
  ASSERT_TRUE(listed[0].contains("evaluation")) << listed.dump();
  EXPECT_GE(listed[0]["evaluation"]["people"], 20);
  const std::string text = shop_.sotto({"ctl", "versions"}).out;
  EXPECT_NE(text.find("nDCG@10"), std::string::npos) << text;
  EXPECT_EQ(text.find("RMSE") != std::string::npos, GetParam().rated) << text;

  if (GetParam().rated) {
    const Outcome bare = shop_.sotto({"ctl", "export", "--data", data, "--run", "bare"});
    EXPECT_NE(bare.err.find("--contexts interval daypart person, and --people FILE"), std::string::npos)
        << bare.err;
  }
  const Outcome newest = made({"--run", "newest"});
  ASSERT_EQ(newest.code, 0) << newest.err;
  EXPECT_EQ(newest.json()["released"]["version"], rounds);
  EXPECT_EQ(newest.json()["released"]["items"], newest.json()["released"]["items_in_data"]);
  if (GetParam().rows) {
    EXPECT_EQ(newest.json()["model_hash"], listed[0]["model_hash"]) << "the same items in the same order";
  }
  EXPECT_EQ(shop_.sotto({"show", "newest"}).code, 0);
  const Outcome judged = shop_.sotto({"evaluate", "--run", "newest", "--json"});
  ASSERT_EQ(judged.code, 0) << judged.err;
  EXPECT_EQ(judged.json()["metrics"], newest.json()["metrics"]);
  EXPECT_GT(judged.json()["metrics"]["nDCG@10"], 0.0);
  const Outcome user = shop_.sotto({"recommend", "--run", "newest", "--all", "--json"});
  EXPECT_EQ(user.code, 0) << user.err;
  const Outcome first = made({"--version", std::to_string(earlier), "--run", "first"});
  ASSERT_EQ(first.code, 0) << first.err;
  const Outcome compared = shop_.sotto({"compare", "newest", "first"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(made({"--run", "first"}).code, 2) << "a run is there";
  const Outcome forgotten = shop_.sotto({"forget", "--run", "newest", "--user", "u1"});
  EXPECT_NE(forgotten.err.find("a coordinator released"), std::string::npos) << forgotten.err;

  const Outcome back = shop_.sotto({"ctl", "release", "--version", std::to_string(earlier)});
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(versions()[0]["again"], earlier);
}

INSTANTIATE_TEST_SUITE_P(OfModels, LiveEvaluationByCommands, testing::ValuesIn(models()), name_of);

std::vector<OfModel> that_the_simulator_makes() {
  std::vector<OfModel> some;
  for (const OfModel& one : models())
    if (!one.train.empty()) some.push_back(one);
  return some;
}

class AnExportedRun : public ACoordinatorOf {};

// Devices hold the training part, so that what they make together is what the simulator makes.
TEST_P(AnExportedRun, IsTheSimulatorsRunOfTheSameData) {
  begin("goal = 30\nrounds = 1\n");
  const Outcome played = shop_.sotto(fleet({"--until-finished", "films"}));
  ASSERT_EQ(played.code, 0) << played.err;
  const Outcome run = made({"--run", "released"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Outcome trained =
      shop_.sotto(joined({"train", "--data", data, "--model", GetParam().model, "--out", "trained", "--json"},
                         GetParam().train));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(run.json()["metrics"], trained.json()["metrics"]);
  const auto lists = [&](const char* of) {
    return shop_.sotto({"recommend", "--run", of, "--all", "--format", "tsv"}).out;
  };
  EXPECT_EQ(lists("released"), lists("trained"));
  // And where the data lack an item, so that the others have other numbers.
  const std::string items = shop_.get("items.tsv"), first = items.substr(0, items.find('\n'));
  std::istringstream lines(shop_.get(data));
  std::string others;
  for (std::string line; std::getline(lines, line);)
    if (line.find(first) == std::string::npos) others += line + "\n";
  shop_.put("others.tsv", others);
  const Outcome some = shop_.sotto({"ctl", "export", "--data", "others.tsv", "--run", "some", "--json"});
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_EQ(some.json()["items"].get<int>() + 1, run.json()["items"].get<int>());
  EXPECT_GT(some.json()["metrics"]["nDCG@10"], 0.0);
  const Outcome table = shop_.sotto({"ctl", "export", "--out", "rows.tsv"});
  ASSERT_EQ(table.code, 0) << table.err;
  std::istringstream rows(shop_.get("rows.tsv"));
  std::size_t count = 0;
  for (std::string row; std::getline(rows, row); ++count) {
    const std::string name = row.substr(0, row.find('\t'));
    EXPECT_NE(("item\n" + items).find(name + "\n"), std::string::npos) << name;
  }
  const bool has_all = GetParam().popular == 0 || std::string(GetParam().model) != "fedease";
  EXPECT_EQ(count, 1u + (has_all ? run.json()["items"].get<std::size_t>() : GetParam().popular));
}

INSTANTIATE_TEST_SUITE_P(OfModels, AnExportedRun, testing::ValuesIn(that_the_simulator_makes()), name_of);

class AClassifiersVersions : public ACoordinatorOf {};

TEST_P(AClassifiersVersions, AreJudgedWrittenAndMadeRuns) {
  begin("goal = 24\nrounds = 2\nevaluate_share = 0.3\n");
  play({"--evaluation"},
       [](const nlohmann::json& listed) { return listed.size() == 3 && listed[0].contains("evaluation"); });
  const nlohmann::json judged = versions()[0]["evaluation"];
  EXPECT_EQ(judged["metrics"].size(), 1u) << judged;
  EXPECT_GT(judged["metrics"]["Accuracy"], 0.0);
  EXPECT_GE(judged["people"], 20);
  EXPECT_GE(judged["examples"], 20 * 4);
  const Outcome listed = shop_.sotto({"ctl", "versions"});
  EXPECT_NE(listed.out.find("version  people  Accuracy\n"), std::string::npos) << listed.out;
  EXPECT_NE(shop_.sotto({"ctl", "status"}).out.find("fedavg"), std::string::npos);

  const Outcome run = made({"--run", "released"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["released"]["version"], 2);
  const std::string shown = shop_.sotto({"show", "released"}).out;
  for (const char* part : {"24 devices, 400 training and 80 test examples of 10 classes", "Accuracy"})
    EXPECT_NE(shown.find(part), std::string::npos) << shown;
  // It stands beside a run of the simulator over the same devices.
  const Outcome trained = shop_.sotto(joined(
      joined({"train", "--model", "fedavg", "--devices", "24", "--cohort", "1", "--rounds", "2"}, pictures),
      {"--network", "dense", "--hidden", "8", "--out", "trained", "--json"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome compared = shop_.sotto({"compare", "released", "trained", "--json"});
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(compared.json()["users"], 24);
  EXPECT_NEAR(run.json()["metrics"]["Accuracy"].get<double>(),
              trained.json()["metrics"]["Accuracy"].get<double>(), 0.2);
  const Outcome report = shop_.sotto({"report", "released"});
  EXPECT_EQ(report.code, 0) << report.err;
  const Outcome evaluated = shop_.sotto({"evaluate", "--run", "released"});
  EXPECT_NE(evaluated.err.find("recommends nothing"), std::string::npos) << evaluated.err;

  const Outcome other = shop_.sotto({"ctl", "export", "--generate", "--deal", "people", "--run", "other"});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("tells 10 classes of examples of 28 × 28 bytes"), std::string::npos) << other.err;
  EXPECT_FALSE(shop_.has("other"));
  const Outcome table = shop_.sotto({"ctl", "export", "--out", "rows.tsv"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(shop_.get("rows.tsv").substr(0, 4), "row\t") << "a network's rows are no classes'";
}

INSTANTIATE_TEST_SUITE_P(OfModels, AClassifiersVersions,
                         testing::Values(OfModel{.model = "fedavg",
                                                 .task = "network = \"dense\"\nhidden = [8]\nlr = 0.3\n"
                                                         "collection = \"digits\"\n",
                                                 .data = {},
                                                 .examples = true}),
                         name_of);

}  // namespace
}  // namespace sotto::cli::live_evaluation_test
