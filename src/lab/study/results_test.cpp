#include "lab/study/results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "storage/testing/scratch_folder.h"

namespace sotto::lab {
namespace {

CellResult some_result() {
  CellResult result;
  result.done = true;
  result.request = "seed = 7\n";
  result.split_hash = "split";
  result.model_hash = "model";
  result.metrics = {{"P@10", 0.1}, {"PopREO@10", std::numeric_limits<double>::quiet_NaN()}, {"AUC", 0.75}};
  result.judged_users = 3;
  result.epochs = 5;
  result.best_epoch = 4;
  result.totals = {
      .rounds = 1, .exchanges = 2, .triples = 3, .loss_units = -4, .bytes_up = 5, .bytes_down = 6};
  result.vectors = 1e9;
  result.seconds = 0.5;
  return result;
}

CellDetail some_detail() {
  CellDetail detail;
  detail.per_user.users = {UserIndex{0}, UserIndex{2}, UserIndex{9}};
  detail.per_user.names = {"P@10", "AUC"};
  detail.per_user.values = {0.1, 0.5, 0.2, 1.0 / 3.0, 0.0, 1.0};
  detail.curve = {{1, 0.69, std::nullopt, 10, 20, 30}, {2, 0.5, 0.125, 20, 40, 60}};
  detail.item_updates = {4, 0, 1};
  detail.category_bias = {{5, {{"Bars", 2, 1.5, 1.25, -0.5}}}, {10, {{"Bars", 2, 1.5, 1.0, -1.0 / 3.0}}}};
  return detail;
}

CellPlace some_place(const std::string& study, std::uint64_t position, const std::string& key) {
  return {.study = study,
          .position = position,
          .dataset = "world",
          .model = "sFPL+",
          .phase = Phase::search,
          .settings = {{"consent.pi", "0.5"}, {"federation.variant", "sfpl"}},
          .seed = 3,
          .key = key};
}

TEST(CellResult, of_before_f1_of_the_means_was_stored_has_it) {
  CellResult result;
  result.metrics = {{"P@10", 0.25}, {"R@10", 0.5}, {"P@5", 0.0}, {"R@5", 0.0}, {"P@1", 1.0}};
  EXPECT_DOUBLE_EQ(*result.metric("F1means@10"), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(*result.metric("F1means@5"), 0.0);
  EXPECT_FALSE(result.metric("F1means@1").has_value());
  result.metrics.push_back({"F1means@10", 0.125});
  EXPECT_DOUBLE_EQ(*result.metric("F1means@10"), 0.125);
}

TEST(ResultsFile, WhatWasPutComesBack) {
  const ScratchFolder folder;
  const std::string path = folder.file("r.sqlite");
  {
    ResultsFile file = ResultsFile::open_or_create(path).value();
    ASSERT_TRUE(file.put("k", some_result(), some_detail()).ok());
    ASSERT_TRUE(file.put_place(some_place("s", 1, "k")).ok());
  }
  const ResultsFile file = ResultsFile::open(path).value();
  const std::vector<StoredCell> cells = file.cells().value();
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0].place.settings, some_place("s", 1, "k").settings);
  EXPECT_EQ(cells[0].place.phase, Phase::search);
  EXPECT_EQ(cells[0].place.seed, 3u);
  const CellResult result = file.find("k").value().value();
  EXPECT_EQ(result.best_epoch, 4u);
  EXPECT_EQ(result.totals.loss_units, -4);
  EXPECT_EQ(result.totals.bytes_down, 6u);
  EXPECT_EQ(result.vectors, 1e9);
  ASSERT_EQ(result.metrics.size(), 3u);
  EXPECT_EQ(result.metrics[0].name, "P@10");
  EXPECT_EQ(result.metric("AUC"), 0.75);
  EXPECT_TRUE(std::isnan(result.metrics[1].value));
  const CellDetail detail = file.detail("k").value();
  EXPECT_EQ(detail.per_user.users, some_detail().per_user.users);
  EXPECT_EQ(detail.per_user.names, some_detail().per_user.names);
  EXPECT_EQ(detail.per_user.values, some_detail().per_user.values);
  ASSERT_EQ(detail.curve.size(), 2u);
  EXPECT_FALSE(detail.curve[0].validation);
  EXPECT_EQ(detail.curve[1].validation, 0.125);
  EXPECT_EQ(detail.curve[1].bytes_down, 60u);
  EXPECT_EQ(detail.item_updates, some_detail().item_updates);
  EXPECT_TRUE(detail.item_recommended.empty());
  ASSERT_EQ(detail.category_bias.size(), 2u);
  EXPECT_EQ(detail.category_bias[1].categories[0].disparity, -1.0 / 3.0);
}

TEST(ResultsFile, AResultIsReplacedWhole) {
  const ScratchFolder folder;
  ResultsFile file = ResultsFile::open_or_create(folder.file("r.sqlite")).value();
  ASSERT_TRUE(file.put("k", some_result(), some_detail()).ok());
  CellResult failed;
  failed.reason = "it diverged";
  ASSERT_TRUE(file.put("k", failed, {}).ok());
  const CellResult result = file.find("k").value().value();
  EXPECT_FALSE(result.done);
  EXPECT_EQ(result.reason, "it diverged");
  EXPECT_TRUE(result.metrics.empty());
  EXPECT_FALSE(result.best_epoch);
  EXPECT_TRUE(file.detail("k").value().curve.empty());
  EXPECT_FALSE(file.find("other").value());
  EXPECT_FALSE(file.detail("other").ok());
}

TEST(ResultsFile, StudiesShareResultsAndKeepTheirOrder) {
  const ScratchFolder folder;
  ResultsFile file = ResultsFile::open_or_create(folder.file("r.sqlite")).value();
  ASSERT_TRUE(file.put("k", some_result(), {}).ok());
  ASSERT_TRUE(file.put("l", some_result(), {}).ok());
  ASSERT_TRUE(file.put_place(some_place("b", 2, "k")).ok());
  ASSERT_TRUE(file.put_place(some_place("b", 1, "l")).ok());
  ASSERT_TRUE(file.put_place(some_place("a", 9, "k")).ok());
  EXPECT_EQ(file.studies().value(), (std::vector<std::string>{"a", "b"}));
  std::vector<StoredCell> cells = file.cells().value();
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0].place.key + cells[1].place.key + cells[2].place.key, "klk");
  ASSERT_TRUE(file.begin_study("b").ok());
  EXPECT_EQ(file.cells().value().size(), 1u);
  EXPECT_TRUE(file.find("l").value());
}

TEST(ResultsFile, WhatIsDoneTogetherIsDoneWholeOrNotAtAll) {
  const ScratchFolder folder;
  ResultsFile file = ResultsFile::open_or_create(folder.file("r.sqlite")).value();
  const auto two = [&](bool fails) -> Status {
    SOTTO_TRY_DONE(file.put("k", some_result(), some_detail()));
    SOTTO_TRY_DONE(file.put_place(some_place("s", 1, "k")));
    if (fails) return fail(Code::io, "no more");
    return Done{};
  };
  EXPECT_FALSE(file.together([&] { return two(true); }).ok());
  EXPECT_FALSE(file.find("k").value());
  EXPECT_TRUE(file.together([&] { return two(false); }).ok());
  EXPECT_TRUE(file.find("k").value());
  EXPECT_EQ(file.cells().value().size(), 1u);
}

TEST(ResultsFile, FactsOfASplitComeBack) {
  const ScratchFolder folder;
  ResultsFile file = ResultsFile::open_or_create(folder.file("r.sqlite")).value();
  const SplitFacts facts{"h", 10, 3, 20, 4, 5, {7, 8, 5}};
  ASSERT_TRUE(file.put_split(facts).ok());
  const SplitFacts back = file.split("h").value().value();
  EXPECT_EQ(back.popularity, facts.popularity);
  EXPECT_EQ(back.validation, 4u);
  EXPECT_FALSE(file.split("x").value());
}

TEST(ResultsFile, FilesThatAreNoneAreRefused) {
  const ScratchFolder folder;
  EXPECT_EQ(ResultsFile::open(folder.file("none")).error().code, Code::not_found);
  std::ofstream(folder.file("text")) << "certainly not a database, whatever its name says";
  EXPECT_EQ(ResultsFile::open(folder.file("text")).error().code, Code::bad_input);
  EXPECT_EQ(ResultsFile::open_or_create(folder.file("text")).error().code, Code::bad_input);
}

}  // namespace
}  // namespace sotto::lab
