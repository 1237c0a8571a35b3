#include "lab/study/run_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "data/generate.h"
#include "engine/files/dataset_text.h"
#include "engine/files/files.h"
#include "engine/files/split_file.h"
#include "engine/plan/prepare.h"
#include "engine/train/training.h"
#include "sim/thread_pool.h"
#include "storage/testing/scratch_folder.h"

namespace sotto::lab {
namespace {

class RunStudy : public ::testing::Test {
 protected:
  RunStudy() {
    const Dataset world =
        generate_world({.users = 60, .items = 80, .mean_interactions = 15.0, .seed = 3}).value();
    EXPECT_TRUE(write_file(folder_.file("w.tsv"), interactions_text(world, '\t', false)).ok());
    study_.name = "small";
    StudyDataset& dataset = study_.datasets.emplace_back();
    dataset.name = "world";
    dataset.data.paths = {folder_.file("w.tsv")};
    study_.models.push_back(model("sFPL+", "fpl"));
    EXPECT_TRUE(set_variant(study_.models[0].request.plan, "sfpl+").ok());
    study_.models[0].grid = {axis("consent.pi", {"0.0", "0.5", "1.0"})};
    study_.models.push_back(model("Top-Pop", "toppop"));
    study_.seeds = {1, 2};
  }

  static StudyModel model(const std::string& label, std::string_view kind) {
    StudyModel one;
    one.label = label;
    one.request.model = kind;
    one.request.plan.epochs = 4;
    one.request.plan.fpl.factors = 4;
    return one;
  }
  static Axis axis(const std::string& key, std::vector<std::string> values) {
    return {.key = key, .values = std::move(values), .range = std::nullopt, .where = ""};
  }

  [[nodiscard]] ResultsFile file(const std::string& name) const {
    return ResultsFile::open_or_create(folder_.file(name)).value();
  }
  StudyOutcome run(ResultsFile& results, std::size_t threads = 2) const {
    StudyHooks hooks;
    auto outcome = run_study(study_, results, hooks, threads);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return std::move(outcome).value();
  }

  // Everything but times, as text.
  static std::string content(const ResultsFile& results) {
    std::string text;
    for (const StoredCell& cell : results.cells().value()) {
      text += cell.place.dataset + cell.place.model + to_string(cell.place.phase) + cell.place.key;
      for (const auto& [key, value] : cell.place.settings) text += key + value;
      text += std::to_string(cell.place.seed) + cell.result.model_hash + cell.result.reason;
      for (const Metric& metric : cell.result.metrics)
        text += metric.name + std::to_string(std::bit_cast<std::uint64_t>(metric.value));
      const CellDetail detail = results.detail(cell.place.key).value();
      for (const double value : detail.per_user.values) text += std::to_string(value);
      for (const CurvePoint& point : detail.curve) text += std::to_string(point.loss);
      for (const std::uint64_t count : detail.item_updates) text += std::to_string(count) + " ";
    }
    return text;
  }

  // A user's training items by name.
  static std::vector<std::string> oldest_first(const Split& split, UserIndex user) {
    std::vector<std::pair<int, std::string>> rows;
    const auto items = split.train.of(user);
    const auto ages = split.train.ages_of(user);
    for (std::size_t n = 0; n < items.size(); ++n)
      rows.emplace_back(-ages[n], split.items.name(items[n].value));
    std::sort(rows.begin(), rows.end());
    std::vector<std::string> names;
    for (const auto& [age, name] : rows) names.push_back(name);
    return names;
  }

  ScratchFolder folder_;
  Study study_;
};

TEST_F(RunStudy, ACellIsWhatTrainingAloneGives) {
  ResultsFile results = file("r");
  const StudyOutcome outcome = run(results);
  EXPECT_EQ(outcome.cells, 8u);
  EXPECT_EQ(outcome.computed, 7u);  // Top-Pop is the same for both seeds
  const std::vector<StoredCell> cells = results.cells().value();
  ASSERT_EQ(cells.size(), 8u);
  const StoredCell& cell = cells[3];
  EXPECT_EQ(cell.place.settings.at("consent.pi"), "0.5");
  EXPECT_EQ(cell.place.seed, 2u);

  TrainRequest request = study_.models[0].request;
  request.data = study_.datasets[0].data;
  request.plan.consent.pi = 0.5;
  request.plan.seed = 2;
  ASSERT_TRUE(settle(request).ok());
  EXPECT_EQ(cell.result.request, to_toml(request));
  const Split split = prepare(request.data).value().split;
  SerialExecutor serial;
  TrainHooks hooks;
  const Trained trained = train(request, split, serial, hooks).value();
  const Evaluation judged =
      evaluate(*trained.model, split, evaluate_options(request, split, Part::test), serial).value();
  EXPECT_EQ(cell.result.model_hash, trained.model_hash);
  EXPECT_EQ(cell.result.split_hash, split.hash);
  EXPECT_EQ(cell.result.metric("P@10"), judged.find("P@10"));
  EXPECT_EQ(cell.result.totals.bytes_up, trained.totals.bytes_up);
  EXPECT_EQ(cell.result.epochs, 4u);
  const CellDetail detail = results.detail(cell.place.key).value();
  EXPECT_EQ(detail.per_user.values, judged.per_user.values);
  EXPECT_EQ(detail.item_recommended, judged.recommended);
  ASSERT_EQ(detail.curve.size(), 4u);
  EXPECT_EQ(detail.curve[3].triples, trained.totals.triples);
  EXPECT_EQ(detail.curve[3].bytes_down, trained.totals.bytes_down);
  EXPECT_EQ(detail.item_updates.size(), split.catalogue);
  EXPECT_EQ(results.split(split.hash).value()->popularity, split.train.popularity(split.catalogue));
}

TEST_F(RunStudy, TheSameForAnyNumberOfThreads) {
  ResultsFile one = file("one"), many = file("many");
  run(one, 1);
  run(many, 5);
  EXPECT_EQ(content(one), content(many));
}

TEST_F(RunStudy, WhatIsFinishedIsNotComputedAgain) {
  ResultsFile results = file("r");
  run(results);
  const std::string before = content(results);
  const StudyOutcome again = run(results);
  EXPECT_EQ(again.computed, 0u);
  EXPECT_EQ(again.found, again.cells);
  EXPECT_EQ(content(results), before);
  study_.models[0].grid[0].values.push_back("0.7");
  EXPECT_EQ(run(results).computed, study_.seeds.size());
}

TEST_F(RunStudy, AStoppedStudyGoesOnToTheSameResults) {
  ResultsFile whole = file("whole"), cut = file("cut");
  run(whole);
  for (std::uint64_t stop_after = 1; stop_after <= 6; stop_after += 2) {
    std::atomic<bool> stop = false;
    StudyHooks hooks;
    hooks.stop = &stop;
    hooks.on_progress = [&](const StudyProgress& now) {
      if (now.finished >= stop_after) stop = true;
    };
    const auto stopped = run_study(study_, cut, hooks, 2);
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().code, Code::cancelled);
  }
  run(cut);
  EXPECT_EQ(content(cut), content(whole));
}

TEST_F(RunStudy, AFailingCellIsRecordedAndTheOthersGoOn) {
  study_.models.push_back(model("BPR-MF", "bprmf"));
  study_.models.back().grid = {axis("model.lr", {"0.05", "1e20"})};
  ResultsFile results = file("r");
  const StudyOutcome outcome = run(results);
  EXPECT_EQ(outcome.cells, 12u);
  ASSERT_EQ(outcome.failures.size(), 2u);
  EXPECT_NE(outcome.failures[0].reason.find("diverged"), std::string::npos) << outcome.failures[0].reason;
  int failed = 0;
  for (const StoredCell& cell : results.cells().value()) {
    failed += !cell.result.done;
    EXPECT_EQ(cell.result.done, cell.result.metric("P@10").has_value());
  }
  EXPECT_EQ(failed, 2);
  EXPECT_EQ(run(results).failures.size(), 2u);
  EXPECT_EQ(run(results).computed, 0u);
  StudyHooks hooks;
  hooks.retry_failed = true;
  EXPECT_EQ(run_study(study_, results, hooks, 2)->computed, 2u);
}

TEST_F(RunStudy, ASearchChoosesOnValidationAndJudgesOnTest) {
  study_.search = Search{.method = SearchMethod::grid, .metric = "nDCG@10"};
  study_.models[0].request.early = {.metric = "nDCG@10", .every = 1, .patience = 9};
  ResultsFile results = file("r");
  const StudyOutcome outcome = run(results);
  EXPECT_EQ(outcome.cells, 3u + 2u + 2u);  // Top-Pop has nothing to choose
  const StoredCell* best = nullptr;
  std::vector<StoredCell> cells = results.cells().value();
  for (const StoredCell& cell : cells) {
    if (cell.place.phase == Phase::final) continue;
    EXPECT_EQ(cell.place.seed, 1u);
    if (best == nullptr || *cell.result.metric("nDCG@10") > *best->result.metric("nDCG@10")) best = &cell;
  }
  ASSERT_NE(best, nullptr);
  const Split search_split = [&] {
    DataRequest data = study_.datasets[0].data;
    data.split.validation_share = 0.2;
    return prepare(data).value().split;
  }();
  EXPECT_EQ(best->result.split_hash, search_split.hash);
  const Split whole = prepare(study_.datasets[0].data).value().split;
  int finals = 0;
  for (const StoredCell& cell : cells) {
    if (cell.place.phase == Phase::search || cell.place.model != "sFPL+") continue;
    ++finals;
    EXPECT_EQ(cell.place.settings.at("consent.pi"), best->place.settings.at("consent.pi"));
    EXPECT_EQ(cell.place.settings.at("model.epochs"), std::to_string(*best->result.best_epoch));
    EXPECT_EQ(cell.result.epochs, *best->result.best_epoch);
    EXPECT_EQ(cell.result.split_hash, whole.hash);
    EXPECT_FALSE(cell.result.best_epoch);
  }
  EXPECT_EQ(finals, 2);
}

TEST_F(RunStudy, EverySearchGivesTheSameResultsHoweverItRan) {
  for (const SearchMethod method : {SearchMethod::random, SearchMethod::halving, SearchMethod::bayes}) {
    study_.search = Search{.method = method, .metric = "P@10", .trials = 6, .eta = 2};
    study_.models[0].grid = {
        {.key = "model.lr", .values = {}, .range = Range{.min = 0.01, .max = 0.5, .log = true}, .where = ""}};
    const std::string name = "r" + std::to_string(static_cast<int>(method));
    ResultsFile one = file(name + "a"), many = file(name + "b");
    run(one, 1);
    run(many, 3);
    EXPECT_EQ(content(one), content(many));
    std::map<std::string, int> epochs;
    for (const StoredCell& cell : one.cells().value())
      if (cell.place.phase == Phase::search && cell.place.settings.contains("model.epochs"))
        ++epochs[cell.place.settings.at("model.epochs")];
    if (method == SearchMethod::halving) {
      EXPECT_EQ(epochs, (std::map<std::string, int>{{"1", 6}, {"2", 3}, {"4", 1}}));
    }
  }
}

// Cells of a few epochs and of all of them: the estimate ends with nothing left, and not before the end.
TEST_F(RunStudy, TheTimeLeftGoesDownToNothing) {
  study_.search = Search{.method = SearchMethod::halving, .metric = "P@10", .trials = 6, .eta = 2};
  study_.models[0].grid = {axis("model.lr", {"0.01", "0.02", "0.05", "0.1", "0.2", "0.5"})};
  ResultsFile results = file("r");
  StudyHooks hooks;
  std::vector<StudyProgress> told;
  hooks.on_progress = [&](const StudyProgress& now) { told.push_back(now); };
  ASSERT_TRUE(run_study(study_, results, hooks, 2).ok());
  std::uint64_t estimates = 0;
  for (const StudyProgress& now : told) {
    if (std::isnan(now.left_seconds) || now.total == 0) continue;
    EXPECT_EQ(now.left_seconds > 0.0, now.finished < now.total) << now.finished;
    ++estimates;
  }
  EXPECT_EQ(told.back().finished, told.back().total);
  EXPECT_GT(estimates, told.back().total / 2);
}

TEST_F(RunStudy, ASearchThatFailsEverywhereSaysSo) {
  study_.models = {model("BPR-MF", "bprmf")};
  study_.models[0].grid = {axis("model.lr", {"1e20", "1e21"})};
  study_.search = Search{};
  ResultsFile results = file("r");
  const StudyOutcome outcome = run(results);
  EXPECT_EQ(outcome.cells, 4u);
  ASSERT_EQ(outcome.failures.size(), 4u);
  EXPECT_NE(outcome.failures.back().reason.find("all 2 trials"), std::string::npos);
  EXPECT_EQ(results.cells().value().size(), 4u);
}

TEST_F(RunStudy, ASavedSplitGivesItsValidationPartBackToTraining) {
  DataRequest cut = study_.datasets[0].data;
  cut.split.validation_share = 0.25;
  const Split split = prepare(cut).value().split;
  ASSERT_TRUE(write_split_file(folder_.file("s.bin"), split).ok());
  const Split whole = prepare(study_.datasets[0].data).value().split;
  study_.datasets[0].data = {};
  study_.datasets[0].data.split_file = folder_.file("s.bin");
  study_.search = Search{};
  ASSERT_TRUE(split.train.has_ages());
  const StudyData data = StudyData::load(study_, {}).value();
  const Split& joined = data.of(0, Phase::final, 1).split;
  ASSERT_TRUE(joined.train.has_ages());
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    // The training items in their order, and all of the validation part newer.
    const std::vector<std::string> before = oldest_first(split, {user}), now = oldest_first(joined, {user});
    ASSERT_EQ(now.size(), before.size() + split.validation.of({user}).size());
    EXPECT_TRUE(std::equal(before.begin(), before.end(), now.begin()));
  }
  ResultsFile results = file("r");
  run(results);
  for (const StoredCell& cell : results.cells().value()) {
    if (cell.place.phase == Phase::search) {
      EXPECT_EQ(cell.result.split_hash, split.hash);
      continue;
    }
    // The items may be numbered in another order; the parts are the same.
    const SplitFacts facts = results.split(cell.result.split_hash).value().value();
    EXPECT_EQ(facts.train, whole.train.interactions());
    EXPECT_EQ(facts.test, whole.test.interactions());
    EXPECT_EQ(facts.validation, 0u);
    EXPECT_EQ(facts.catalogue, whole.catalogue);
  }
  ASSERT_TRUE(write_split_file(folder_.file("s.bin"), whole).ok());
  StudyHooks hooks;
  const auto refused = run_study(study_, results, hooks, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("validation"), std::string::npos);
}

TEST_F(RunStudy, GivenPartsKeepTheirOrderInTime) {
  const std::string head = "user\titem\ttime\n";
  ASSERT_TRUE(write_file(folder_.file("a.tsv"), head + "u\tz\t1\nu\ty\t2\nv\ty\t1\nv\tz\t2\n").ok());
  ASSERT_TRUE(write_file(folder_.file("b.tsv"), head + "u\tx\t3\n").ok());
  ASSERT_TRUE(write_file(folder_.file("c.tsv"), head + "v\tx\t3\n").ok());
  DataRequest& given = study_.datasets[0].data;
  given.paths = {folder_.file("a.tsv")};
  given.validation = {folder_.file("b.tsv")};
  given.test = {folder_.file("c.tsv")};
  study_.search = Search{};
  const auto data = StudyData::load(study_, {});
  ASSERT_TRUE(data.ok()) << data.error().message;
  const Split& split = data->of(0, Phase::final, 1).split;
  ASSERT_TRUE(split.train.has_ages());
  EXPECT_EQ(oldest_first(split, {*split.users.find("u")}), (std::vector<std::string>{"z", "y", "x"}));
  EXPECT_EQ(oldest_first(split, {*split.users.find("v")}), (std::vector<std::string>{"y", "z"}));
}

TEST_F(RunStudy, ARandomSplitIsDrawnForEachSeed) {
  study_.datasets[0].data.split.rule = RandomHoldout{0.8};
  study_.models.erase(study_.models.begin());
  ResultsFile results = file("r");
  run(results);
  const std::vector<StoredCell> cells = results.cells().value();
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_NE(cells[0].result.split_hash, cells[1].result.split_hash);
}

TEST_F(RunStudy, ThePlanCountsWhatWouldRun) {
  ResultsFile results = file("r");
  const StudyData data = StudyData::load(study_, {}).value();
  const auto plan = plan_study(study_, data, &results).value();
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[0].final, 6u);
  EXPECT_EQ(plan[0].search, 0u);
  EXPECT_EQ(plan[0].found, 0u);
  run(results);
  EXPECT_EQ(plan_study(study_, data, &results).value()[0].found, 6u);
  EXPECT_TRUE(results.studies().value() == std::vector<std::string>{"small"});
}

TEST_F(RunStudy, MissingDataIsSaidBeforeAnythingRuns) {
  study_.datasets.push_back({.name = "gone", .data = {}, .where = "s.toml, line 9"});
  study_.datasets[1].data.paths = {folder_.file("gone.tsv")};
  ResultsFile results = file("r");
  StudyHooks hooks;
  const auto refused = run_study(study_, results, hooks, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("s.toml, line 9"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("gone.tsv"), std::string::npos);
  EXPECT_TRUE(results.cells().value().empty());
}

}  // namespace
}  // namespace sotto::lab
