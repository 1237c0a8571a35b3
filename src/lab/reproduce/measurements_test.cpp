// Measurements, tables and findings from a results file whose numbers are known.
#include "lab/reproduce/measurements.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/reproduce/table_parts.h"
#include "storage/testing/scratch_folder.h"

namespace sotto::lab {
namespace {

constexpr std::size_t users = 40;

// Results as a study would leave them: user n of a cell has base + n/1000 at P@10.
class MeasurementsTest : public ::testing::Test {
 protected:
  MeasurementsTest() : results_(ResultsFile::open_or_create(scratch_.file("results.sqlite")).value()) {}

  void put(std::string_view dataset, const std::string& model, double pi, std::uint64_t seed,
           const std::vector<double>& values, const std::string& study = "s") {
    CellPlace place;
    place.study = study;
    place.position = position_++;
    place.dataset = std::string(dataset);
    place.model = model;
    if (pi >= 0.0) place.settings = {{"consent.pi", std::to_string(pi)}};
    place.seed = seed;
    place.key = fmt_key(dataset, model, pi, seed);
    CellResult result;
    result.done = true;
    double sum = 0.0;
    CellDetail detail;
    detail.per_user.names = {"P@10"};
    for (std::size_t n = 0; n < values.size(); ++n) {
      detail.per_user.users.push_back(UserIndex{static_cast<std::uint32_t>(n)});
      detail.per_user.values.push_back(values[n]);
      sum += values[n];
    }
    result.metrics = {{"P@10", sum / static_cast<double>(values.size())}, {"IC@10", 12.0}};
    result.vectors = 1000.0 + pi;
    result.judged_users = values.size();
    ASSERT_TRUE(results_.put(place.key, result, detail).ok());
    ASSERT_TRUE(results_.put_place(place).ok());
  }

  static std::vector<double> around(double base, double step = 0.001) {
    std::vector<double> values;
    for (std::size_t n = 0; n < users; ++n) values.push_back(base + step * static_cast<double>(n % 7));
    return values;
  }
  static std::string fmt_key(std::string_view dataset, const std::string& model, double pi,
                             std::uint64_t seed) {
    return std::string(dataset) + model + std::to_string(pi) + "/" + std::to_string(seed);
  }
  Measurements load(const std::vector<std::string>& studies = {"s"}) {
    auto loaded = Measurements::load(results_, studies, serial_);
    EXPECT_TRUE(loaded.ok());
    return std::move(*loaded);
  }
  static PaperData data(std::string_view name) {
    PaperData one;
    one.name = one.shown = std::string(name);
    one.there = true;
    return one;
  }

  ScratchFolder scratch_;
  ResultsFile results_;
  SerialExecutor serial_;
  std::uint64_t position_ = 0;
};

TEST_F(MeasurementsTest, several_seeds_have_students_interval) {
  for (const std::uint64_t seed : {1, 2, 3})
    put("Amazon DM", "sFPL", 0.5, seed, std::vector<double>(users, 0.1 * static_cast<double>(seed)));
  const Measurements measured = load();
  const MeasuredPoint* point = measured.chosen("Amazon DM", "sFPL");
  ASSERT_NE(point, nullptr);
  const MeasuredValue value = **measured.value(*point, "P@10");
  EXPECT_EQ(value.seeds, 3u);
  EXPECT_NEAR(value.mean, 0.2, 1e-12);
  // t(0.975, 2) = 4.302653, sd = 0.1, n = 3
  EXPECT_NEAR(value.interval->high - value.mean, 4.302653 * 0.1 / std::sqrt(3.0), 1e-6);
}

TEST_F(MeasurementsTest, one_seed_is_bootstrapped_over_users_and_counts_have_no_users) {
  put("Amazon DM", "BPR-MF", -1, 1, around(0.1));
  const Measurements measured = load();
  const MeasuredPoint& point = *measured.chosen("Amazon DM", "BPR-MF");
  const MeasuredValue value = **measured.value(point, "P@10");
  EXPECT_LT(value.interval->low, value.mean);
  EXPECT_GT(value.interval->high, value.mean);
  EXPECT_FALSE((**measured.value(point, "IC@10")).interval.has_value());
  EXPECT_FALSE((*measured.value(point, "nDCG@10")).has_value());
}

TEST_F(MeasurementsTest, a_cell_of_two_studies_counts_once_and_other_studies_not_at_all) {
  put("Amazon DM", "sFPL", 0.5, 1, around(0.1), "s");
  put("Amazon DM", "sFPL", 0.5, 1, around(0.1), "t");
  put("Amazon DM", "sFPL", 0.5, 2, around(0.2), "elsewhere");
  const Measurements measured = load({"s", "t"});
  ASSERT_EQ(measured.points("Amazon DM", "sFPL").size(), 1u);
  EXPECT_EQ(measured.points("Amazon DM", "sFPL")[0]->cells.size(), 1u);
}

TEST_F(MeasurementsTest, the_chosen_pi_stands_in_the_table) {
  for (const double pi : {1.0, 0.1, 0.5}) put("Amazon DM", "sFPL", pi, 1, around(pi));
  Measurements measured = load();
  ASSERT_EQ(measured.points("Amazon DM", "sFPL").size(), 3u);
  EXPECT_DOUBLE_EQ(*measured.points("Amazon DM", "sFPL")[0]->pi, 0.1);
  measured.choose("Amazon DM", "sFPL", 0.5);
  EXPECT_DOUBLE_EQ(*measured.chosen("Amazon DM", "sFPL")->pi, 0.5);
  measured.choose("Amazon DM", "sFPL", 0.7);
  EXPECT_EQ(measured.chosen("Amazon DM", "sFPL"), nullptr);
}

TEST_F(MeasurementsTest, cells_carry_print_ours_and_verdict) {
  put("Amazon DM", "BPR-MF", -1, 1, around(0.02));
  put("Brazil", "BPR-MF", -1, 1, around(0.02));
  const Measurements measured = load();
  const Target target = *find_target("thesis-4.2");
  std::vector<PaperData> sets{data("Amazon DM"), data("MovieLens 1M"), data("Brazil")};
  sets[1].there = false;
  sets[2].proxy = true;
  const TargetData at{target, sets, measured, Effort::quick, serial_};
  EXPECT_EQ(measured_cell(at, sets[0], "BPR-MF", "P@10", 0.00921)->verdict, Verdict::reached);
  EXPECT_EQ(measured_cell(at, sets[0], "BPR-MF", "P@10", 0.5)->verdict, Verdict::below);
  EXPECT_EQ(measured_cell(at, sets[0], "BPR-MF", "P@10", std::nullopt)->verdict, Verdict::no_print);
  EXPECT_EQ(measured_cell(at, sets[0], "VAE", "P@10", 0.1)->verdict, Verdict::failed);
  EXPECT_EQ(measured_cell(at, sets[1], "BPR-MF", "P@10", 0.1)->verdict, Verdict::absent);
  EXPECT_EQ(measured_cell(at, sets[2], "BPR-MF", "P@10", 0.1)->verdict, Verdict::other);
  Reproduction out;
  ASSERT_TRUE(add_score_tables(at, out).ok());
  ASSERT_EQ(out.tables.size(), 3u);
  EXPECT_EQ(out.tables[0].rows.size(), target.models.size() + target.extras.size());
  EXPECT_EQ(out.tables[1].rows.size(), target.models.size());
  EXPECT_EQ(count_verdicts(out)[static_cast<std::size_t>(Verdict::absent)], 2 * target.models.size());
}

const Finding* find(const Reproduction& out, const char* words) {
  for (const Finding& finding : out.findings)
    if (finding.claim.find(words) != std::string::npos) return &finding;
  return nullptr;
}

TEST_F(MeasurementsTest, findings_hold_where_the_numbers_say_so) {
  put("Amazon DM", "sFPL", 0.5, 1, around(0.10));
  put("Amazon DM", "sFPL", 1.0, 1, around(0.08, 0.0012));
  put("Amazon DM", "sFPL+", 0.5, 1, around(0.20, 0.0015));
  put("Amazon DM", "pFPL", 0.5, 1, around(0.10));
  Measurements measured = load();
  for (const char* model : {"sFPL", "sFPL+", "pFPL"}) measured.choose("Amazon DM", model, 0.5);
  const Target target = *find_target("thesis-4.2");
  const std::vector<PaperData> sets{data("Amazon DM")};
  Reproduction out;
  ASSERT_TRUE(add_findings({target, sets, measured, Effort::quick, serial_}, out).ok());
  EXPECT_EQ(find(out, "best π")->outcome, ClaimOutcome::holds);
  EXPECT_EQ(find(out, "Parallelism")->outcome, ClaimOutcome::holds);
  EXPECT_EQ(find(out, "local computation")->outcome, ClaimOutcome::holds);
  EXPECT_EQ(find(out, "communication cost")->outcome, ClaimOutcome::holds);
}

TEST_F(MeasurementsTest, findings_fail_where_the_numbers_say_so) {
  put("Amazon DM", "sFPL", 0.5, 1, around(0.08, 0.0012));
  put("Amazon DM", "sFPL", 1.0, 1, around(0.30));
  put("Amazon DM", "sFPL+", 1.0, 1, around(0.20, 0.0015));
  put("Amazon DM", "pFPL", 1.0, 1, around(0.10, 0.0013));
  Measurements measured = load();
  for (const char* model : {"sFPL", "sFPL+", "pFPL"}) measured.choose("Amazon DM", model, 1.0);
  const Target target = *find_target("thesis-4.2");
  const std::vector<PaperData> sets{data("Amazon DM")};
  Reproduction out;
  ASSERT_TRUE(add_findings({target, sets, measured, Effort::quick, serial_}, out).ok());
  EXPECT_EQ(find(out, "best π")->outcome, ClaimOutcome::fails);
  EXPECT_EQ(find(out, "Parallelism")->outcome, ClaimOutcome::fails);
  EXPECT_EQ(find(out, "local computation")->outcome, ClaimOutcome::fails);
}

}  // namespace
}  // namespace sotto::lab
