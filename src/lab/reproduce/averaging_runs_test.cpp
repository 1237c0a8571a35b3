#include "lab/reproduce/averaging_runs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/examples/generate_examples.h"
#include "engine/averaging/averaging_request.h"
#include "engine/files/files.h"
#include "engine/files/testing/mnist_files.h"
#include "lab/reproduce/reproduce.h"
#include "storage/testing/scratch_folder.h"

namespace sotto::lab {
namespace {

KeptAveraging some_run(std::uint32_t first, std::uint8_t right) {
  KeptAveraging run;
  run.rounds = {1, 2, 3};
  run.accuracy = {0.5, 0.75, 0.7};
  for (const std::uint32_t accuracy : {70u, 80u, 85u, 90u, 95u}) {
    run.until[accuracy][0] = first;
    run.until[accuracy][4] = first + 1;
  }
  run.best_round = 2;
  run.best_right = {1, 0, right, 1, 1};
  run.most_rounds = 40;
  return run;
}

TEST(AveragingRuns, AFileReadsBackAsItWasWritten) {
  KeptAveraging run = some_run(5, 0);
  run.plan = "abc";
  run.seconds = 1.5;
  const auto read = kept_from_text(kept_text(run), "file");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(kept_text(*read), kept_text(run));
  EXPECT_EQ(read->until, run.until);
  EXPECT_EQ(read->best_right, run.best_right);
  for (const std::string& wrong : {std::string("{}"), std::string("no json"), std::string(R"({"format":2})")})
    EXPECT_FALSE(kept_from_text(wrong, "file").ok());
}

TEST(AveragingRuns, ThePlanOfARunIsWhatDecidesIt) {
  const Target target = *find_target("5.3");
  PaperData data;
  data.name = "MNIST, two shards each";
  data.data.paths = {"here"};
  TrainRequest request = *averaging_request(target, data, "DS>LD>MW", 1, Effort::full);
  const auto& options = request.model.own<AveragingOptions>();
  EXPECT_EQ(options.rounds, 200u);
  EXPECT_EQ(options.local.epochs, 5u);
  EXPECT_EQ(options.local.batch, 0u);
  EXPECT_TRUE(settle(request).ok()) << settle(request).error().message;
  TrainRequest elsewhere = request;
  elsewhere.data.paths = {"there"};
  elsewhere.model.own<AveragingOptions>().classifier.accelerator = Accelerator::cuda;
  EXPECT_EQ(averaging_plan_hash(elsewhere), averaging_plan_hash(request));
  elsewhere.plan.seed = 2;
  EXPECT_NE(averaging_plan_hash(elsewhere), averaging_plan_hash(request));
  EXPECT_EQ(kept_name("MNIST, two shards each", "DS>LD>MW", 1, Effort::full),
            "mnist-two-shards-each_ds-ld-mw_seed-1_full.json");
}

TEST(AveragingRuns, EveryPlanCanBe) {
  for (const Target& target : targets())
    for (const std::string& dataset :
         target.paper->is("averaging") ? target.datasets : std::vector<std::string>())
      for (const Effort effort : {Effort::quick, Effort::full})
        for (const std::string& setting : experiment_on(dataset).settings) {
          PaperData data;
          data.name = dataset;
          data.data.paths = {"somewhere"};
          auto request = averaging_request(target, data, setting, 1, effort);
          ASSERT_TRUE(request.ok()) << request.error().message;
          EXPECT_TRUE(settle(*request).ok()) << target.name << setting;
          EXPECT_GT(averaging_core_seconds(target, data, effort), 0.0);
        }
}

TEST(AveragingRuns, HelpNamesTheRoundsOfThePlans) {
  const auto rounds = [](const TrainRequest& plan) {
    return std::to_string(plan.model.own<AveragingOptions>().rounds);
  };
  std::string text;
  for (const auto& [dataset, words] : {std::pair("MNIST, IID", "MNIST IID"),
                                       {"MNIST, two shards each", "in shards"},
                                       {"CelebA attributes", "CelebA"}}) {
    const Experiment& experiment = experiment_on(dataset);
    text += (text.empty() ? "" : ", ") + rounds(experiment.plan) + " " + words;
    EXPECT_EQ(rounds(experiment.quick), "40");
  }
  EXPECT_EQ(text + "; with --quick 40", rounds_unless_told);
}

// Runs that others made are taken as they are; with all there, nothing is trained (there is no data).
TEST(AveragingRuns, TablesAreMadeOfTheFilesThatAreThere) {
  const ScratchFolder folder;
  const Target target = *find_target("thesis-5.3");
  PaperData data;
  data.name = data.shown = "MNIST, two shards each";
  data.there = true;
  data.data.paths = {folder.file("nothing")};
  const std::filesystem::path place = folder.file("averaging");
  ASSERT_TRUE(make_folder(place).ok());
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const std::string& setting : experiment_on("MNIST, two shards each").settings) {
      KeptAveraging run =
          some_run(setting == "DS" ? 20 : 14 + static_cast<std::uint32_t>(seed), setting == "DS" ? 0 : 1);
      run.plan = averaging_plan_hash(*averaging_request(target, data, setting, seed, Effort::full));
      ASSERT_TRUE(write_file(place / kept_name("MNIST, two shards each", setting, seed, Effort::full),
                             std::string_view(kept_text(run)))
                      .ok());
    }
  SerialExecutor serial;
  const auto made = reproduce_averaging(target, {data}, Effort::full, folder.file(""), {}, serial);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->computed, 0u);
  ASSERT_EQ(made->tables.size(), 4u);
  const PaperTable& ninety = made->tables[2];
  EXPECT_EQ(ninety.rows[0].cells[4].ours, 21.0);
  EXPECT_EQ(ninety.rows[0].cells[4].printed, 23.0);
  EXPECT_EQ(ninety.rows[0].cells[4].verdict, Verdict::reached);
  EXPECT_FALSE(ninety.rows[0].cells[8].ours);    // nobody got there
  EXPECT_EQ(ninety.rows[1].cells[4].ours, 4.0);  // 5, 4 and 3 rounds earlier
  EXPECT_EQ(ninety.rows[1].cells[9].ours, 4.0);
  ASSERT_TRUE(ninety.rows[1].cells[4].interval);
  EXPECT_NEAR(ninety.rows[1].cells[4].interval->high - 4.0, 4.303 / std::sqrt(3.0), 0.01);  // Student's t
  const auto mistakes =
      reproduce_averaging(*find_target("5.4"), {data}, Effort::full, folder.file(""), {}, serial);
  ASSERT_TRUE(mistakes.ok());
  EXPECT_EQ(mistakes->tables[0].rows[0].cells[1].ours, 1.0);
  EXPECT_EQ(mistakes->tables[0].rows[0].cells[0].ours, 1.0);
  EXPECT_EQ(mistakes->tables[0].rows[0].cells[3].ours, 3.0);
}

// Digits of another size are others than those of the print.
TEST(AveragingRuns, DigitsMustHaveTheSizeOfThePrint) {
  const ScratchFolder folder;
  ASSERT_TRUE(
      write_mnist(folder.file("mnist"), generate_pictures({.training = 20, .test = 7, .side = 9}).value())
          .ok());
  PaperData data;
  data.name = data.shown = "MNIST, IID";
  data.there = true;
  data.data.paths = {folder.file("mnist")};
  SerialExecutor serial;
  const auto refused =
      reproduce_averaging(*find_target("5.1"), {data}, Effort::quick, folder.file(""), {}, serial);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("train-images-idx3-ubyte"), std::string::npos);
  EXPECT_NE(refused.error().message.find("9 × 9 points where 28 × 28"), std::string::npos)
      << refused.error().message;
}

// Where a seed reached an accuracy that another did not, each keeps its own gains, and no more seeds are
// named than have a baseline to compare with.
TEST(AveragingRuns, GainsAreOfTheirOwnSeed) {
  const std::string setting(experiment_on("MNIST, two shards each").settings[1]), baseline("DS");
  const auto run_at = [](std::uint32_t round, bool first_target) {
    KeptAveraging run = some_run(round, 1);
    run.most_rounds = 40;
    if (!first_target) run.until[experiment_on("MNIST, two shards each").accuracies[0]] = {};
    return run;
  };
  AveragingRuns runs;
  runs[baseline] = {{1, run_at(20, false)}, {2, run_at(20, true)}};
  runs[setting] = {{1, run_at(18, false)}, {2, run_at(14, true)}, {3, run_at(1, true)}};
  PaperData data;
  data.name = data.shown = "MNIST, two shards each";
  Reproduction out;
  add_averaging(*find_target("thesis-5.3"), data, runs, out);
  ASSERT_EQ(out.findings.size(), 1u);
  const std::string& said = out.findings[0].evidence[0];
  EXPECT_NE(said.find("+4.00 rounds"), std::string::npos) << said;  // 2 and 6, each in all it reached
  EXPECT_EQ(out.tables[0].rows[0].setting, "×2");
  EXPECT_EQ(out.tables[0].rows[1].setting, "×2") << "the third seed has no baseline";
  EXPECT_EQ(out.tables[0].rows[1].cells[9].ours, 6.0);
  EXPECT_EQ(out.tables[1].rows[1].cells[9].ours, 4.0);
  Reproduction mistakes;
  add_averaging(*find_target("thesis-5.4"), data, runs, mistakes);
  EXPECT_EQ(mistakes.tables[0].rows[0].setting, "×2");
}

// Without the data a missing run is an error, but for a part that is somebody else's.
TEST(AveragingRuns, PartsShareTheMissingRuns) {
  const ScratchFolder folder;
  Target target = *find_target("thesis-5.5");
  PaperData data;
  data.name = data.shown = "CelebA attributes";
  data.there = true;
  data.data.paths = {folder.file("nothing")};
  SerialExecutor serial;
  EXPECT_FALSE(reproduce_averaging(target, {data}, Effort::quick, folder.file(""), {}, serial).ok());
  target.runs.parts = 20;
  target.runs.part = 19;  // there are nine runs
  const auto none = reproduce_averaging(target, {data}, Effort::quick, folder.file(""), {}, serial);
  ASSERT_TRUE(none.ok()) << none.error().message;
  EXPECT_FALSE(none->tables[0].rows[0].cells[0].ours);
}

}  // namespace
}  // namespace sotto::lab
