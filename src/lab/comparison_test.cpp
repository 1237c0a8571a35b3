#include "lab/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/files/per_user_file.h"
#include "engine/train/run_dir.h"
#include "sim/thread_pool.h"

namespace sotto::lab {
namespace {

using Values = std::vector<double>;

// A run whose users have these values of P@10.
ComparedRun run_of(const std::string& label, const Values& values, double gini = 0.5) {
  ComparedRun run;
  run.label = label;
  run.source = "runs/" + label;
  run.split_hash = "s";
  for (std::uint32_t user = 0; user < values.size(); ++user) run.per_user.users.push_back({user});
  run.per_user.names = {"P@10"};
  run.per_user.values = values;
  run.metrics = {{"P@10", spread_of(values).mean}, {"Gini@10", gini}, {"PopREO@10", gini}};
  return run;
}

Values ramp(std::size_t users, double lift) {
  Values values;
  for (std::size_t n = 0; n < users; ++n)
    values.push_back(0.01 * static_cast<double>(n * 7 % 31) +
                     lift * (1.0 + 0.1 * static_cast<double>(n % 3)));
  return values;
}

CompareOptions options_for(std::vector<std::string> metrics) {
  CompareOptions options;
  options.metrics = std::move(metrics);
  return options;
}

TEST(Comparison, ErrorsAreTestedByTheirUsersButHaveNoIntervalOfTheirMeans) {
  SerialExecutor serial;
  std::vector<ComparedRun> runs{run_of("high", ramp(60, 0.3)), run_of("low", ramp(60, 0.0))};
  for (ComparedRun& run : runs) {
    run.per_user.names = {"MAE"};
    run.metrics = {{"MAE", run.label == "low" ? 0.5 : 0.8}};  // over all records: no mean of the users'
  }
  CompareOptions options = options_for({"MAE"});
  options.intervals = true;
  const auto comparison = compare_runs(runs, options, serial);
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  EXPECT_EQ(comparison->rows[1].cells[0].standing, RankMark::best);
  EXPECT_EQ(comparison->rows[1].cells[0].beats, "a");
  EXPECT_EQ(comparison->rows[0].cells[0].beats, "");
  EXPECT_FALSE(comparison->rows[1].cells[0].interval.has_value());
}

TEST(Comparison, PlacesLettersAndPairsByHand) {
  SerialExecutor serial;
  // Two are alike but for one user; the third is far ahead of both.
  Values near = ramp(60, 0.0);
  near[3] += 0.01;
  std::vector<ComparedRun> runs{run_of("low", ramp(60, 0.0), 0.9), run_of("near", near, 0.5),
                                run_of("high", ramp(60, 0.3), 0.1)};
  for (const PairedTest test : {PairedTest::t, PairedTest::wilcoxon}) {
    CompareOptions options = options_for({"P@10", "Gini@10", "PopREO@10"});
    options.test = test;
    options.pairs = true;
    options.intervals = true;
    const auto comparison = compare_runs(runs, options, serial);
    ASSERT_TRUE(comparison.ok()) << comparison.error().message;
    ASSERT_EQ(comparison->rows.size(), 3u);
    const auto cell = [&](std::size_t row, std::size_t column) {
      return comparison->rows[row].cells[column];
    };
    EXPECT_EQ(cell(0, 0).beats + "/" + cell(1, 0).beats + "/" + cell(2, 0).beats, "//ab");
    EXPECT_EQ(cell(2, 0).standing, RankMark::best);
    EXPECT_EQ(cell(1, 0).standing, RankMark::second);
    EXPECT_EQ(cell(0, 0).standing, RankMark::plain);
    EXPECT_EQ(cell(0, 1).standing, RankMark::best);  // more Gini is better
    EXPECT_EQ(cell(2, 2).standing, RankMark::best);  // less PopREO is
    EXPECT_TRUE(cell(0, 1).beats.empty());           // no values of single users, no test
    EXPECT_FALSE(cell(0, 1).interval.has_value());
    ASSERT_TRUE(cell(2, 0).interval.has_value());
    EXPECT_LT(cell(2, 0).interval->low, cell(2, 0).value);
    EXPECT_GT(cell(2, 0).interval->high, cell(2, 0).value);
    ASSERT_EQ(comparison->pairs.size(), 3u);
    // The pairs' figures are those of the statistics, corrected together.
    Values p_values;
    for (const ComparedPair& pair : comparison->pairs) {
      const Values &a = runs[pair.first].per_user.values, &b = runs[pair.second].per_user.values;
      EXPECT_EQ(pair.p, paired_test(test, a, b).p);
      EXPECT_NEAR(pair.difference, spread_of(a).mean - spread_of(b).mean, 1e-12);
      EXPECT_LE(pair.interval.low, pair.difference);
      EXPECT_GE(pair.interval.high, pair.difference);
      p_values.push_back(pair.p);
    }
    const Values adjusted = holm(p_values);
    for (std::size_t n = 0; n < 3; ++n) EXPECT_EQ(comparison->pairs[n].adjusted_p, adjusted[n]);
  }
}

TEST(Comparison, LettersStandInOrderAndTiesShareTheirPlace) {
  SerialExecutor serial;
  const auto comparison = compare_runs({run_of("c", ramp(60, 0.2)), run_of("a", ramp(60, 0.4)),
                                        run_of("b", ramp(60, 0.0)), run_of("again", ramp(60, 0.4))},
                                       options_for({"P@10"}), serial);
  ASSERT_TRUE(comparison.ok());
  EXPECT_EQ(comparison->rows[1].cells[0].beats, "ac");
  EXPECT_EQ(comparison->rows[3].cells[0].beats, "ac");
  EXPECT_EQ(comparison->rows[0].cells[0].beats, "c");
  EXPECT_EQ(comparison->rows[1].cells[0].standing, RankMark::best);
  EXPECT_EQ(comparison->rows[3].cells[0].standing, RankMark::best);
  EXPECT_EQ(comparison->rows[0].cells[0].standing, RankMark::second);
}

TEST(Comparison, WhatIsNotDefinedIsNeverBest) {
  SerialExecutor serial;
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const auto comparison = compare_runs({run_of("a", ramp(9, 0.0), nothing), run_of("b", ramp(9, 0.0), 0.2)},
                                       options_for({"Gini@10"}), serial);
  ASSERT_TRUE(comparison.ok());
  EXPECT_EQ(comparison->rows[0].cells[0].standing, RankMark::plain);
  EXPECT_EQ(comparison->rows[1].cells[0].standing, RankMark::best);
}

TEST(Comparison, TheSameForAnyThreads) {
  ThreadPool one(1), three(3);
  CompareOptions options = options_for({"P@10"});
  options.pairs = options.intervals = true;
  options.bootstrap.resamples = 200;
  const std::vector<ComparedRun> runs{run_of("a", ramp(80, 0.0)), run_of("b", ramp(80, 0.01))};
  const auto a = compare_runs(runs, options, one), b = compare_runs(runs, options, three);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->pairs[0].interval.low, b->pairs[0].interval.low);
  EXPECT_EQ(a->rows[1].cells[0].interval->high, b->rows[1].cells[0].interval->high);
}

TEST(Comparison, RefusesWhatCannotBeCompared) {
  SerialExecutor serial;
  const ComparedRun first = run_of("a", ramp(9, 0.0));
  ComparedRun other_split = run_of("b", ramp(9, 0.0)), other_users = other_split;
  other_split.split_hash = "t";
  other_users.per_user.users[0] = {77};
  const auto error = [&](std::vector<ComparedRun> runs, const CompareOptions& options) {
    const auto result = compare_runs(std::move(runs), options, serial);
    EXPECT_FALSE(result.ok());
    return result.error();
  };
  const CompareOptions plain = options_for({"P@10"});
  EXPECT_EQ(error({first}, plain).code, Code::usage);
  EXPECT_EQ(error({first, other_split}, plain).code, Code::incompatible);
  EXPECT_NE(error({first, other_split}, plain).message.find("runs/a and runs/b"), std::string::npos);
  EXPECT_EQ(error({first, other_users}, plain).code, Code::incompatible);
  EXPECT_EQ(error({first, first}, options_for({"P@20"})).code, Code::usage);
  EXPECT_EQ(error({first, first}, options_for({"Luck@10"})).code, Code::usage);
  CompareOptions sure = plain;
  sure.alpha = 1.0;
  EXPECT_EQ(error({first, first}, sure).code, Code::usage);
  EXPECT_EQ(error(std::vector<ComparedRun>(53, first), plain).code, Code::usage);
}

TEST(Comparison, EqualLabelsAreToldApartByWhatDiffers) {
  std::vector<ComparedRun> runs(5);
  const auto plan = [](const char* seed, const char* pi) {
    return std::string("seed = ") + seed + "\n\n[data]\npaths = [\"x" + seed +
           "\"]\n\n[consent]\npi = " + pi + "\nmask = \"redraw\"\n";
  };
  runs[0] = {"pFPL", "r0", plan("1", "0.5"), "", {}, {}};
  runs[1] = {"pFPL", "r1", plan("1", "1"), "", {}, {}};
  runs[2] = {"Top-Pop", "r2", plan("1", "1"), "", {}, {}};
  runs[3] = {"BPR-MF", "r3", plan("2", "1"), "", {}, {}};
  runs[4] = {"BPR-MF", "r4", plan("2", "1"), "", {}, {}};
  tell_apart(runs);
  EXPECT_EQ(runs[0].label, "pFPL (pi = 0.5)");
  EXPECT_EQ(runs[1].label, "pFPL (pi = 1)");
  EXPECT_EQ(runs[2].label, "Top-Pop");
  EXPECT_EQ(runs[3].label, "BPR-MF [r3]");
  EXPECT_EQ(runs[4].label, "BPR-MF [r4]");
}

TEST(Comparison, CriteriaAreNamedAsPeopleSayThem) {
  std::vector<ComparedRun> runs(3);
  runs[0] = {"pFPL", "r0", "seed = 1\n", "", {}, {}};
  runs[1] = {"pFPL", "r1", "seed = 1\n\n[criteria]\norder = \"diversity>size\"\n", "", {}, {}};
  runs[2] = {
      "pFPL", "r2", "seed = 1\n\n[criteria]\norder = \"diversity>size\"\nscore = \"mean\"\nsize_bound = 9\n",
      "",     {},   {}};
  tell_apart(runs);
  EXPECT_EQ(runs[0].label, "pFPL (no criteria)");
  EXPECT_EQ(runs[1].label, "pFPL (criteria diversity>size, score prioritized)");
  EXPECT_EQ(runs[2].label, "pFPL (criteria diversity>size, score mean, size bound 9)");
}

TEST(Standings, EqualValuesStandAlikeAndNoNumberNowhere) {
  constexpr auto plain = RankMark::plain, best = RankMark::best, second = RankMark::second;
  const Values values{2.0, std::nan(""), 3.0, 2.0, 1.0, 3.0};
  EXPECT_EQ(rank_marks_of(values, false), (std::vector{second, plain, best, second, plain, best}));
  EXPECT_EQ(rank_marks_of(values, true), (std::vector{second, plain, plain, second, best, plain}));
  EXPECT_EQ(rank_marks_of(Values{1.0, 1.0}, false), (std::vector{best, best}));
}

TEST(Comparison, OnlyRowsOfTheSameUsersAreTested) {
  SerialExecutor serial;
  const std::vector<TestedRow> rows{
      {ramp(60, 0.0), "these"}, {ramp(60, 0.3), "those"}, {ramp(60, 0.6), "these"}, {{}, "these"}};
  const CompareOptions options;
  const auto pairs = test_pairs(rows, "P@10", options, serial);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].first, 0u);
  EXPECT_EQ(pairs[0].second, 2u);
  EXPECT_EQ(pairs[0].adjusted_p, pairs[0].p);  // one pair has nothing to be corrected for
  using Beaten = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(beaten_rows(pairs, 4, options, false), (Beaten{{}, {}, {0}, {}}));
  EXPECT_EQ(beaten_rows(pairs, 4, options, true), (Beaten{{2}, {}, {}, {}}));
}

TEST(PerUserFile, ReadsBackWhatWasWrittenToTheLastBit) {
  Split split;
  split.users.intern("ann");
  split.users.intern("bob");
  Evaluation evaluation;
  evaluation.per_user = {{{1}, {0}}, {"P@10", "AUC"}, {1.0 / 3.0, 0.1, 0.0, 2.0 / 7.0}};
  const auto back = read_per_user(per_user_tsv(evaluation, split), "f", split);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->users, evaluation.per_user.users);
  EXPECT_EQ(back->names, evaluation.per_user.names);
  EXPECT_EQ(back->values, evaluation.per_user.values);
  for (const char* text : {"", "user\n", "id\tP@10\nann\t1\n", "user\tP@10\n", "user\tP@10\ncarl\t1\n",
                           "user\tP@10\nann\t1\t2\n", "user\tP@10\nann\tgood\n", "user\tP@10\nann\tnan\n"}) {
    const auto refused = read_per_user(text, "f", split);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_TRUE(refused.error().message.starts_with("f, line ")) << refused.error().message;
    EXPECT_EQ(refused.error().message.find("carl"), std::string::npos);
  }
}

}  // namespace
}  // namespace sotto::lab
