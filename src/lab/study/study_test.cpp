#include "lab/study/study.h"

#include <gtest/gtest.h>

#include "lab/study/cells.h"
#include "lab/study/study_toml.h"

namespace sotto::lab {
namespace {

const std::string good = R"(name = "consent"
seeds = [3, 5]

[evaluation]
cutoffs = [5, 10]

[early_stopping]
patience = 4

[[dataset]]
name = "world"
paths = ["a.tsv", "b.tsv"]
min_user = 20
rule = "temporal:0.7"

[[model]]
label = "sFPL+"
federation.variant = "sfpl+"
consent.mask = "redraw"
model.epochs = 7
grid = { "consent.pi" = [0.1, 1.0], "federation.local" = ["batch", "sequential"] }

[[model]]
model.name = "itemknn"

[search]
method = "random"
metric = "P@5"
trials = 3
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(StudyToml, ReadsAStudy) {
  const auto read = study_from_toml(good, "s.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Study& study = *read;
  EXPECT_EQ(study.name, "consent");
  EXPECT_EQ(study.seeds, (std::vector<std::uint64_t>{3, 5}));
  ASSERT_EQ(study.datasets.size(), 1u);
  EXPECT_EQ(study.datasets[0].data.paths, (std::vector<std::string>{"a.tsv", "b.tsv"}));
  EXPECT_EQ(study.datasets[0].data.filter.min_user, 20u);
  EXPECT_EQ(to_string(study.datasets[0].data.split.rule), "temporal:0.7");
  ASSERT_EQ(study.models.size(), 2u);
  const StudyModel& fpl = study.models[0];
  EXPECT_EQ(variant_of(fpl.request.plan), "sfpl+");
  EXPECT_EQ(fpl.request.plan.epochs, 7u);
  EXPECT_EQ(fpl.request.early.patience, 4u);
  EXPECT_EQ(fpl.request.early.metric, "P@5");  // the search's, unless it is given
  EXPECT_EQ(fpl.request.cutoffs, (std::vector<std::uint32_t>{5, 10}));
  ASSERT_EQ(fpl.grid.size(), 2u);
  EXPECT_EQ(fpl.grid[0].key, "consent.pi");
  EXPECT_EQ(fpl.grid[1].values, (std::vector<std::string>{"'batch'", "'sequential'"}));
  EXPECT_EQ(study.models[1].label, "Item-kNN");
  EXPECT_EQ(study.search->method, SearchMethod::random);
  EXPECT_EQ(study.search->trials, 3u);
}

TEST(StudyToml, EveryMistakeNamesItsLine) {
  struct Case {
    const char* from;
    const char* to;
    const char* says;
  };
  const std::vector<Case> cases{
      {"patience = 4", "patienc = 4", "s.toml, line 8: patienc: unknown key"},
      {"min_user = 20", "min_usr = 20",
       "s.toml, line 13: unknown key 'dataset.min_usr'; did you mean 'min_user'?"},
      {"min_user = 20", "min_user = \"x\"", "s.toml, line 13: min_user: a whole number"},
      {"rule = \"temporal:0.7\"", "rule = \"sometimes\"", "s.toml, line 14: rule"},
      {"model.epochs = 7", "model.epoch = 7", "s.toml, line 20: epoch: unknown key in [model]"},
      {"\"consent.pi\" = [0.1, 1.0]", "\"consent.pi\" = []", "s.toml, line 21: consent.pi: an empty grid"},
      {"\"consent.pi\" = [0.1, 1.0]", "\"consent.p\" = [1]",
       "s.toml, line 21: consent.p: a plan has no such key"},
      {"\"consent.pi\" = [0.1, 1.0]", "\"seed\" = [1]", "s.toml, line 21: seed"},
      {"\"consent.pi\" = [0.1, 1.0]", "\"data.core\" = [1]", "s.toml, line 21: data.core: a grid varies"},
      {"\"consent.pi\" = [0.1, 1.0]", "\"consent.pi\" = [7.0]", "consent.pi = 7"},
      {"\"consent.pi\" = [0.1, 1.0]", "\"consent.pi\" = {min = 1}",
       "s.toml, line 21: consent.pi: a range needs"},
      {"\"consent.pi\" = [0.1, 1.0]", "\"consent.pi\" = {min = 1.0, max = 0.5}", "min must be below max"},
      {"\"consent.pi\" = [0.1, 1.0]", "\"consent.pi\" = {min = 0.0, max = 0.5, log = true}", "above 0"},
      {"metric = \"P@5\"", "metric = \"P@7\"", "lists of 7 are not judged"},
      {"method = \"random\"", "method = \"luck\"", "s.toml, line 27: search.method must be \"grid\", "},
      {"trials = 3", "trails = 3", "s.toml, line 29: unknown key 'search.trails'; did you mean 'trials'?"},
      {"trials = 3", "trials = 0", "trials is 0"},
      {"trials = 3", "trials = 100001", "trials is 100001: try 100000 settings at most"},
      {"\"consent.pi\" = [0.1, 1.0]", "\"consent.pi\" = [0.1, 1.0, 0.10]",
       "s.toml, line 21: consent.pi: 0.1 is there twice"},
      {"\"consent.pi\" = [0.1, 1.0]", "\"consent.pi\" = [1, 1.0]", "is there twice"},
      {"[\"batch\", \"sequential\"]", "[\"batch\", \"batch\"]", "'batch' is there twice"},
      {"seeds = [3, 5]", "seeds = []", "s.toml, line 2: seeds: an empty list"},
      {"seeds = [3, 5]", "seeds = [3, 3]", "twice"},
      {"seeds = [3, 5]", "seed = 3", "s.toml, line 2: seed: a study has seeds"},
      {"name = \"consent\"", "name = 5", "s.toml, line 1: name: a string"},
      {"name = \"consent\"", "", "no name"},
      {"[[model]]\nmodel.name = \"itemknn\"", "[[model]]\nlabel = \"sFPL+\"",
       "s.toml, line 23: the model 'sFPL+'"},
      {"model.name = \"itemknn\"", "model.name = \"magic\"", "s.toml, line 24: name: unknown model 'magic'"},
      {"paths = [\"a.tsv\", \"b.tsv\"]", "", "no data given"},
      {"[[dataset]]", "[dataset]", "write it as [[dataset]]"},
      {"[early_stopping]", "[data]", "belong into a [[dataset]]"},
      {"trials = 3", "trials = = 3", "s.toml, line 29: not valid TOML"},
  };
  for (const Case& wrong : cases) {
    const auto study = study_from_toml(replaced(good, wrong.from, wrong.to), "s.toml");
    ASSERT_FALSE(study.ok()) << wrong.to;
    EXPECT_EQ(study.error().code, Code::usage);
    EXPECT_NE(study.error().message.find(wrong.says), std::string::npos) << study.error().message;
    EXPECT_NE(study.error().message.find("s.toml"), std::string::npos) << study.error().message;
  }
}

TEST(StudyToml, RangesAreForSearches) {
  const std::string ranged = replaced(good, "[0.1, 1.0]", "{min = 0.1, max = 1.0}");
  EXPECT_TRUE(study_from_toml(ranged, "s.toml").ok());
  EXPECT_FALSE(study_from_toml(replaced(ranged, "\"random\"", "\"grid\""), "s.toml").ok());
  EXPECT_FALSE(study_from_toml(ranged.substr(0, ranged.find("[search]")), "s.toml").ok());
}

TEST(Study, AProtectionAtTheTopIsOneOfEveryFederatedModel) {
  const auto study = [](const char* second) {
    return study_from_toml(
        std::string("name = 's'\n[dp]\nplace = 'central'\nepsilon = 1.0\n[[dataset]]\nname = 'w'\n"
                    "paths = ['w']\n[[model]]\nmodel = {name = 'fedease'}\n[[model]]\n"
                    "model = {name = '") +
            second + "'}\n",
        "s.toml");
  };
  EXPECT_TRUE(study("toppop").ok()) << study("toppop").error().message;
  const auto unprotected = study("feditemknn");
  ASSERT_FALSE(unprotected.ok());
  EXPECT_NE(unprotected.error().message.find("would not hold"), std::string::npos)
      << unprotected.error().message;
}

TEST(Study, SettingsChangeARequestAndNothingElse) {
  TrainRequest base;
  base.plan.epochs = 9;
  const TrainRequest changed =
      with_settings(base,
                    {{"consent.pi", "0.25"}, {"federation.variant", "\"sfpl\""}, {"model.factors", "7"}})
          .value();
  EXPECT_EQ(changed.plan.consent.pi, 0.25);
  EXPECT_EQ(variant_of(changed.plan), "sfpl");
  EXPECT_EQ(changed.plan.fpl.factors, 7u);
  EXPECT_EQ(changed.plan.epochs, 9u);
  EXPECT_FALSE(with_settings(base, {{"consent.pi", "\"much\""}}).ok());
  EXPECT_FALSE(with_settings(base, {{"consent.pie", "1"}}).ok());
  EXPECT_FALSE(with_settings(base, {{"knn.neighbors", "7"}}).ok()) << "another model's";
  EXPECT_EQ(described({{"b.y", "\"word\""}, {"a.x", "1"}}), "a.x = 1, b.y = word");
}

TEST(Study, SearchesHoldOutAPartAndFinalsTakeItBack) {
  const Study study = study_from_toml(good, "s.toml").value();
  const TrainRequest search =
      cell_request(study, study.datasets[0], study.models[0], {{}, 3, Phase::search}).value();
  EXPECT_EQ(search.data.split.validation_share, 0.2);
  EXPECT_EQ(search.early.patience, 4u);
  EXPECT_EQ(search.plan.seed, 3u);
  const TrainRequest last =
      cell_request(study, study.datasets[0], study.models[0], {{}, 5, Phase::final}).value();
  EXPECT_EQ(last.data.split.validation_share, 0.0);
  EXPECT_EQ(last.early.patience, 0u);
  EXPECT_EQ(last.plan.seed, 5u);
}

TEST(Study, TheKeyKnowsAllThatDecidesAndNoPaths) {
  const Study study = study_from_toml(good, "s.toml").value();
  const auto request = [&](const Settings& settings) {
    return cell_request(study, study.datasets[0], study.models[0], {settings, 3, Phase::search}).value();
  };
  StudySplit data;
  data.content = "these data";
  const std::string key = cell_key(request({}), data, Phase::search);
  TrainRequest moved = request({});
  moved.data.paths = {"elsewhere/a.tsv"};
  EXPECT_EQ(cell_key(moved, data, Phase::search), key);
  EXPECT_NE(cell_key(request({}), data, Phase::final), key);
  EXPECT_NE(cell_key(request({{"consent.pi", "0.3"}}), data, Phase::search), key);
  data.content = "other data";
  EXPECT_NE(cell_key(request({}), data, Phase::search), key);
}

TEST(StudyToml, TheUsualGridIsWhatTheModelOffers) {
  const std::string study =
      "name = 'usual'\n[[dataset]]\nname = 'world'\npaths = ['a.tsv']\n[[model]]\nmodel.name = 'fpl'\ngrid = "
      "'usual'\n";
  const auto read = study_from_toml(study, "s.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  std::vector<std::string> keys;
  for (const Axis& axis : read->models.front().grid) {
    keys.push_back(axis.key);
    EXPECT_EQ(axis.values, read->models.front().request.model->field(axis.key)->tries);
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"model.factors", "model.lr"}));
  const auto none = study_from_toml(replaced(study, "'fpl'", "'toppop'"), "s.toml");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("line 7: grid: toppop has no usual values"), std::string::npos)
      << none.error().message;
}

TEST(StudyToml, TheUsualGridLeavesWhatTheStudySets) {
  const std::string head = "name = 'usual'\n", dataset = "[[dataset]]\nname = 'world'\npaths = ['a.tsv']\n";
  const auto keys = [](const std::string& study) {
    std::vector<std::string> found;
    const auto read = study_from_toml(study, "s.toml");
    EXPECT_TRUE(read.ok()) << read.error().message;
    if (read.ok())
      for (const Axis& axis : read->models.front().grid) found.push_back(axis.key);
    return found;
  };
  const std::string fpl = "[[model]]\nmodel.name = 'fpl'\ngrid = 'usual'\n";
  EXPECT_EQ(keys(head + dataset + fpl + "model.factors = 5\n"), (std::vector<std::string>{"model.lr"}));
  const std::string knn = replaced(fpl, "'fpl'", "'itemknn'");
  EXPECT_EQ(keys(head + dataset + knn), (std::vector<std::string>{"model.recency", "knn.neighbors"}));
  EXPECT_EQ(keys(head + "knn.neighbors = 7\n" + dataset + knn), (std::vector<std::string>{"model.recency"}));
}

TEST(StudyToml, AKeyOfADatasetThatNoModelReadsIsRefused) {
  const std::string study = "name = 's'\n[[dataset]]\nname = 'world'\npaths = ['a.tsv']\ndeal = 'iid'\n";
  const auto read = study_from_toml(study + "[[model]]\nmodel.name = 'fpl'\n", "s.toml");
  ASSERT_FALSE(read.ok());
  EXPECT_NE(
      read.error().message.find("s.toml, line 5: no model of this study reads it: fpl has no such option, "
                                "which belongs to fedavg"),
      std::string::npos)
      << read.error().message;
}

// The model comes first, whatever the order in the file: the other settings are options of it.
TEST(StudyToml, AGridMayVaryTheModel) {
  const auto with = with_settings({}, {{"model.lambda", "30.0"}, {"model.name", "'ease'"}});
  ASSERT_TRUE(with.ok()) << with.error().message;
  EXPECT_EQ(with->model->name, "ease");
  EXPECT_EQ(with->lambda, 30.0f);
}

}  // namespace
}  // namespace sotto::lab
