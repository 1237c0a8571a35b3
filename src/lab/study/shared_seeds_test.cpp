// Models that draw nothing are computed once for all seeds of a study. The oracle is a study of each seed
// alone, in a file of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <functional>
#include <set>
#include <string>

#include "engine/files/files.h"
#include "lab/study/run_study.h"
#include "storage/testing/scratch_folder.h"

namespace sotto::lab::shared_seeds_test {
namespace {

constexpr std::array without_draws{
    "toppop",   "userknn",  "itemknn",      "ease",         "slim",           "rp3beta",
    "vsm",      "fedease",  "feditemknn",   "fedrp3beta",   "globalmean",     "usermean",
    "itemmean", "baseline", "uknn-ratings", "iknn-ratings", "toppop-ratings",
};

class SharedSeeds : public ::testing::Test {
 protected:
  SharedSeeds() {
    std::string rated;
    for (int user = 0; user < 12; ++user)
      for (int n = 0; n < 20; ++n)
        rated += fmt::format("{}\t{}\t{}\t{}\n", user, (user * 3 + n * 7) % 40, 1 + (user + n) % 5,
                             880'000'000 + 50'000 * n + user);
    std::string names = "item\tname\tcategory\n";
    for (int item = 0; item < 40; ++item)
      names += fmt::format("{}\tName {}\tKind {}\n", item, item, item % 4);
    EXPECT_TRUE(write_file(folder_.file("u.data"), rated).ok());
    EXPECT_TRUE(write_file(folder_.file("names.tsv"), names).ok());
    study_.name = "seeds";
    DataRequest& data = study_.datasets.emplace_back(StudyDataset{"world", {}, ""}).data;
    data.paths = {folder_.file("u.data")};
    data.names = {folder_.file("names.tsv")};
    data.kg.labels = true;
    data.kg.min_items = 1;
    study_.seeds = {3, 4, 5};
  }

  StudyModel& add(std::string_view kind) {
    StudyModel& model = study_.models.emplace_back();
    model.label = kind;
    model.request.model = kind;
    model.request.plan.epochs = 2;
    model.request.plan.fpl.factors = 4;
    return model;
  }

  StudyOutcome run(const Study& study, ResultsFile& results) const {
    StudyHooks hooks;
    auto outcome = run_study(study, results, hooks, 2);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return std::move(outcome).value();
  }
  [[nodiscard]] ResultsFile file(const std::string& name) const {
    return ResultsFile::open_or_create(folder_.file(name)).value();
  }

  // All that a table, an export or a test reads of a cell, but times and the plan.
  static std::string content(const ResultsFile& results, const StoredCell& cell) {
    const CellResult& result = cell.result;
    std::string text =
        fmt::format("{} {} seed {} {} {} {} {} users {} epochs {} rounds {} up {} down {}",
                    cell.place.dataset, cell.place.model, cell.place.seed, result.done, result.reason,
                    result.split_hash, result.model_hash, result.judged_users, result.epochs,
                    result.totals.rounds, result.totals.bytes_up, result.totals.bytes_down);
    for (const Metric& metric : result.metrics)
      text += fmt::format("\n{} {}", metric.name, std::bit_cast<std::uint64_t>(metric.value));
    const CellDetail detail = results.detail(cell.place.key).value();
    for (const double value : detail.per_user.values)
      text += fmt::format(" {}", std::bit_cast<std::uint64_t>(value));
    for (const std::uint64_t count : detail.item_recommended) text += fmt::format(" {}", count);
    return text;
  }

  [[nodiscard]] std::set<std::string> keys() const {
    const StudyData data = StudyData::load(study_, {}).value();
    std::set<std::string> keys;
    for (const std::uint64_t seed : study_.seeds) {
      const auto request =
          cell_request(study_, study_.datasets.front(), study_.models.front(), {{}, seed, Phase::final});
      EXPECT_TRUE(request.ok()) << request.error().message;
      if (request.ok()) keys.insert(cell_key(*request, data.of(0, Phase::final, seed), Phase::final));
    }
    return keys;
  }

  ScratchFolder folder_;
  Study study_;
};

TEST_F(SharedSeeds, GiveTheTableOfEachSeedByItself) {
  for (const std::string_view kind : without_draws) add(kind);
  ResultsFile shared = file("shared");
  const StudyOutcome outcome = run(study_, shared);
  EXPECT_EQ(outcome.cells, 3 * without_draws.size());
  EXPECT_EQ(outcome.computed, without_draws.size());
  EXPECT_EQ(outcome.found, 2 * without_draws.size());
  EXPECT_TRUE(outcome.failures.empty()) << outcome.failures.front().reason;
  std::multiset<std::string> together, alone;
  for (const StoredCell& cell : shared.cells().value()) together.insert(content(shared, cell));
  for (const std::uint64_t seed : study_.seeds) {
    Study one = study_;
    one.seeds = {seed};
    ResultsFile results = file(fmt::format("alone{}", seed));
    EXPECT_EQ(run(one, results).computed, without_draws.size());
    for (const StoredCell& cell : results.cells().value()) {
      alone.insert(content(results, cell));
      EXPECT_NE(cell.result.request.find(fmt::format("seed = {}\n", seed)), std::string::npos);
    }
  }
  EXPECT_EQ(together, alone);
  EXPECT_EQ(run(study_, shared).computed, 0u);
}

TEST_F(SharedSeeds, EachSeedIsComputedWhereSomethingIsDrawn) {
  for (const std::string_view kind : {"random", "bprmf", "fpl", "ials", "biasedmf", "nmf", "paco"}) {
    study_.models.clear();
    add(kind);
    EXPECT_EQ(keys().size(), 3u) << kind;
  }
  using Change = std::function<void(TrainRequest&)>;
  const std::vector<std::pair<const char*, Change>> changes{
      {"consent", [](TrainRequest& r) { r.plan.consent.pi = 0.5; }},
      {"people", [](TrainRequest& r) { r.consent.mix = "open=0.5,closed=0.5"; }},
      {"secure", [](TrainRequest& r) { r.sum.kind = SumKind::secure; }},
      {"robust", [](TrainRequest& r) { r.robust.groups = 3; }},
      {"noise",
       [](TrainRequest& r) {
         r.dp.place = "central";
         r.dp.epsilon = 1.0;
       }},
      {"sample", [](TrainRequest& r) { r.eval_users = 5; }},
  };
  for (const auto& [name, change] : changes) {
    study_.models.clear();
    TrainRequest& request = add("fedease").request;
    EXPECT_EQ(keys().size(), 1u);
    change(request);
    EXPECT_EQ(keys().size(), 3u) << name;
  }
}

// A split of its own for each seed is another result for each.
TEST_F(SharedSeeds, ADrawnSplitIsNotShared) {
  study_.datasets.front().data.split.rule = RandomHoldout{0.8};
  add("toppop");
  EXPECT_EQ(keys().size(), 3u);
  ResultsFile results = file("r");
  EXPECT_EQ(run(study_, results).computed, 3u);
}

}  // namespace
}  // namespace sotto::lab::shared_seeds_test
