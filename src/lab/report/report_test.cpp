#include "lab/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/models/fedcars.h"
#include "engine/plan/model_entry.h"
#include "engine/plan/request.h"

namespace sotto::lab {
namespace {

// A run that somebody could have made: P@10 of five users, and what follows from it.
ReportRun made(const std::string& label, std::optional<double> pi, std::uint64_t seed,
               std::vector<double> users, const std::string& plan = "") {
  ReportRun run;
  run.source = label;
  run.place.dataset = "toys";
  run.place.model = label;
  run.place.seed = seed;
  run.pi = pi;
  run.plan = flat_plan(plan);
  if (const auto kept = from_kept_toml(plan); kept.ok()) run.learned_from_test = learns_from_test(*kept);
  run.result.done = true;
  run.result.split_hash = "abcdef0123456789";
  run.result.model_hash = "0123456789abcdef";
  double mean = 0.0;
  for (const double value : users) mean += value / static_cast<double>(users.size());
  for (const char* name : {"P@10", "R@10", "F1means@10", "nDCG@10"}) {
    run.result.metrics.push_back({name, mean});
    run.detail.per_user.names.emplace_back(name);
  }
  run.result.metrics.push_back({"IC@10", 100.0 * mean});
  for (std::size_t user = 0; user < users.size(); ++user) {
    run.detail.per_user.users.push_back(UserIndex{static_cast<std::uint32_t>(user)});
    for (int column = 0; column < 4; ++column) run.detail.per_user.values.push_back(users[user]);
  }
  return run;
}

ReportData data_of(std::vector<ReportRun> runs) {
  ReportData data;
  data.title = "test";
  data.runs = std::move(runs);
  name_configurations(data.runs);
  return data;
}

const PageGap* find_gap(const Page& page, const std::string& part) {
  for (const PageSection& section : page.sections)
    for (const PageBlock& block : section.blocks)
      if (const auto* gap = std::get_if<PageGap>(&block);
          gap != nullptr && gap->what.find(part) != std::string::npos)
        return gap;
  return nullptr;
}

TEST(FlatPlan, reads_what_plans_write) {
  TrainRequest request;
  request.data.paths = {"ratings.dat"};
  request.plan.consent.pi = 0.25;
  ASSERT_TRUE(settle(request).ok());
  const FlatPlan plan = flat_plan(to_toml(request));
  EXPECT_EQ(plan.at("consent.pi"), "0.25");
  EXPECT_EQ(plan.at("model.name"), "fpl");
  EXPECT_EQ(plan.at("seed"), "1");
}

TEST(Configurations, who_learned_from_the_test_part_is_marked) {
  const std::string literal = "[model]\nname = \"fedcars\"\n[fedcars]\nquery = \"test\"\n";
  const ReportData alone = data_of({made("Fed-CARS", {}, 1, {1}, literal)});
  EXPECT_EQ(alone.runs[0].configuration, "Fed-CARS (learned from the test part)");
  const std::string clean = "[model]\nname = \"fedcars\"\n[fedcars]\nquery = \"training\"\n";
  const std::string other = "[model]\nname = \"fpl\"\n[fedcars]\nquery = \"test\"\n";
  const ReportData beside = data_of({made("Fed-CARS", {}, 1, {1}, literal),
                                     made("Fed-CARS", {}, 1, {1}, clean), made("sFPL", 1.0, 1, {1}, other)});
  EXPECT_NE(beside.runs[0].configuration.find(learned_from_test), std::string::npos);
  EXPECT_EQ(beside.runs[1].configuration.find(learned_from_test), std::string::npos);
  EXPECT_EQ(beside.runs[2].configuration, "sFPL");
}

TEST(Configurations, are_told_apart_by_what_differs_but_not_by_pi_seed_or_what_follows) {
  const auto plan = [](const char* rate, const char* reg, const char* factors) {
    return std::string("[model]\nlr = ") + rate + "\nuser_reg = " + reg + "\nfactors = " + factors + "\n";
  };
  ReportData data = data_of({made("sFPL", 0.0, 1, {1}, plan("0.1", "0.005", "10")),
                             made("sFPL", 1.0, 2, {1}, plan("0.1", "0.005", "10")),
                             made("sFPL", 0.0, 1, {1}, plan("0.2", "0.01", "10")),
                             made("EASE", {}, 1, {1}, "[model]\nfactors = 99\n")});
  EXPECT_EQ(data.runs[0].configuration, "sFPL (lr 0.1)");
  EXPECT_EQ(data.runs[1].configuration, "sFPL (lr 0.1)");
  EXPECT_EQ(data.runs[2].configuration, "sFPL (lr 0.2)");
  EXPECT_EQ(data.runs[3].configuration, "EASE");
  // How it was judged does not make a configuration.
  data = data_of({made("a", {}, 1, {1}, "[evaluation]\ncutoffs = [10]\n"),
                  made("a", {}, 2, {1}, "[evaluation]\ncutoffs = [5, 10]\n")});
  EXPECT_EQ(data.runs[0].configuration, "a");
  // A λ that was given counts.
  data = data_of(
      {made("a", {}, 1, {1}, plan("0.1", "0.5", "10")), made("a", {}, 1, {1}, plan("0.1", "0.9", "10"))});
  EXPECT_EQ(data.runs[1].configuration, "a (user_reg 0.9)");
}

TEST(Configurations, criteria_are_named_as_people_say_them) {
  const ReportData data =
      data_of({made("pFPL", {}, 1, {1}, "[model]\nfactors = 9\n"),
               made("pFPL", {}, 1, {1}, "[model]\nfactors = 9\n[criteria]\norder = 'diversity>size'\n")});
  EXPECT_EQ(data.runs[0].configuration, "pFPL (no criteria)");
  EXPECT_EQ(data.runs[1].configuration, "pFPL (criteria diversity>size)");
}

TEST(Configurations, splits_of_one_name_are_two_datasets) {
  ReportRun other = made("a", {}, 1, {1});
  other.result.split_hash = "ffffffffffff";
  const ReportData data = data_of({made("a", {}, 1, {1}), other});
  EXPECT_EQ(data.runs[0].place.dataset, "toys (split abcdef01)");
  EXPECT_EQ(datasets_of(data).size(), 2U);
}

TEST(RunGroups, seeds_are_one_point_with_students_interval) {
  const ReportData data =
      data_of({made("a", 0.5, 2, {0.2, 0.4}), made("a", 0.5, 1, {0.4, 0.6}), made("a", 0.0, 1, {0.1, 0.3})});
  const std::vector<DatasetRuns> datasets = datasets_of(data);
  ASSERT_EQ(datasets.size(), 1U);
  ASSERT_EQ(datasets[0].groups.size(), 2U);
  EXPECT_EQ(datasets[0].groups[0].pi, 0.0);  // ascending
  const RunGroup& group = datasets[0].groups[1];
  EXPECT_EQ(group.first().place.seed, 1U);
  EXPECT_NEAR(group.mean("P@10"), 0.4, 1e-12);
  // Two values 0.3 and 0.5: sd 0.1·√2, standard error 0.1, t(0.975, 1) = 12.7062.
  const auto interval = group.interval("P@10");
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, 0.4 - 1.27062, 1e-4);
  EXPECT_NEAR(interval->high, 0.4 + 1.27062, 1e-4);
  // One seed: over users, 0.1 and 0.3.
  EXPECT_NEAR(datasets[0].groups[0].interval("P@10")->high, 0.2 + 1.27062, 1e-4);
  EXPECT_FALSE(datasets[0].groups[0].interval("IC@10").has_value());
}

TEST(RunGroups, seeds_that_agree_have_the_interval_over_users) {
  const ReportData data = data_of({made("a", {}, 1, {0.1, 0.3}), made("a", {}, 2, {0.1, 0.3})});
  const std::vector<DatasetRuns> datasets = datasets_of(data);
  const auto interval = datasets[0].groups[0].interval("P@10");
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->high, 0.2 + 1.27062, 1e-4);
}

TEST(RunGroups, the_figures_take_the_largest_cutoff_where_ten_is_missing) {
  ReportRun run = made("a", {}, 1, {0.1, 0.3});
  run.result.metrics = {{"P@20", 0.1}, {"R@20", 0.2}, {"P@5", 0.2}, {"P@x", 0.3}};
  const ReportData data = data_of({run});
  EXPECT_EQ(datasets_of(data).front().cutoff, 20U);
  EXPECT_NEAR(datasets_of(data).front().groups[0].mean("F1means@20"), 2.0 * 0.1 * 0.2 / 0.3, 1e-12);
}

TEST(Figures, f1_over_pi_has_a_point_for_each_pi) {
  const ReportData data = data_of({made("a", 0.0, 1, {0.1, 0.2}), made("a", 0.5, 1, {0.4, 0.2}),
                                   made("a", 1.0, 1, {0.2, 0.2}), made("b", {}, 1, {0.3, 0.3})});
  const std::vector<PageBlock> blocks = accuracy_figures(datasets_of(data).front());
  ASSERT_EQ(blocks.size(), 2U);
  const auto& chart = std::get<XyChart>(std::get<Chart>(blocks[0]));
  ASSERT_EQ(chart.series.size(), 1U);  // b has no π
  ASSERT_EQ(chart.series[0].points.size(), 3U);
  EXPECT_EQ(chart.series[0].points[1].x, 0.5);
  EXPECT_NEAR(chart.series[0].points[1].y, 0.3, 1e-12);
}

TEST(Figures, items_are_ranked_by_updates_and_by_popularity) {
  ReportData data = data_of({made("a", 0.0, 1, {0.1}), made("a", 1.0, 1, {0.1})});
  SplitFacts& facts = data.splits["abcdef0123456789"];
  facts.popularity = {5, 9, 9, 1};
  for (ReportRun& run : data.runs) {
    run.detail.item_updates = {10, 0, 30, 20};
    run.detail.item_recommended = {7, 6, 5, 4};
  }
  const std::vector<PageBlock> blocks = item_figures(datasets_of(data).front());
  ASSERT_EQ(blocks.size(), 2U);
  const auto ys = [&blocks](std::size_t block) {
    std::vector<double> values;
    for (const ChartPoint& point : std::get<XyChart>(std::get<Chart>(blocks[block])).series.front().points)
      values.push_back(point.y);
    return values;
  };
  EXPECT_EQ(ys(0), (std::vector<double>{30, 20, 10, 0}));
  EXPECT_EQ(ys(1), (std::vector<double>{6, 6, 5.5, 5.5}));  // of 6, 5, 7, 4: means of 1, 3, 4 and 4
}

TEST(Report, says_what_is_missing_and_how_to_get_it) {
  const Page page = report_page(data_of({made("Top-Pop", {}, 1, {0.1, 0.2})}), "sotto report runs");
  for (const char* what :
       {"F1 over π", "updated", "recommended", "communication", "categories", "validation"}) {
    const PageGap* gap = find_gap(page, what);
    ASSERT_NE(gap, nullptr) << what;
    EXPECT_NE(gap->command.find("sotto train"), std::string::npos);
  }
  EXPECT_EQ(charts_of(page).size(), 1U);  // users
}

TEST(Tables, best_and_second_are_marked_and_letters_name_who_is_beaten) {
  // "low" is below the others for each user; "mid" and "high" differ by luck.
  const ReportData data = data_of({made("low", {}, 1, {0.10, 0.11, 0.10, 0.12, 0.11, 0.10}),
                                   made("mid", {}, 1, {0.50, 0.52, 0.49, 0.51, 0.52, 0.50}),
                                   made("high", {}, 1, {0.50, 0.51, 0.50, 0.52, 0.51, 0.51})});
  const PageTable table = best_table(datasets_of(data).front());
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0][0].text, "a");
  EXPECT_EQ(table.rows[2][1].text, "high");
  EXPECT_EQ(table.rows[2][2].standing, RankMark::best);
  EXPECT_EQ(table.rows[1][2].standing, RankMark::second);
  EXPECT_EQ(table.rows[0][2].standing, RankMark::plain);
  EXPECT_EQ(table.rows[0].back().text, "");
  EXPECT_EQ(table.rows[1].back().text, "a");
  EXPECT_EQ(table.rows[2].back().text, "a");
}

TEST(Tables, different_users_are_not_paired) {
  ReportRun low = made("low", {}, 1, {0.10, 0.11, 0.10, 0.12, 0.11, 0.10});
  ReportRun high = made("high", {}, 1, {0.50, 0.52, 0.49, 0.51, 0.52, 0.50});
  low.judged = high.judged = "these";
  EXPECT_EQ(best_table(datasets_of(data_of({low, high})).front()).rows[1].back().text, "a");
  high.judged = "others";
  const PageTable table = best_table(datasets_of(data_of({low, high})).front());
  EXPECT_EQ(table.rows[1].back().text, "");
  EXPECT_NE(table.caption.find("first seed"), std::string::npos);
}

TEST(Report, the_same_runs_give_the_same_page) {
  const auto page = [] {
    return html_of(report_page(data_of({made("a", 0.0, 1, {0.1, 0.2}), made("a", 1.0, 1, {0.3, 0.2})}), "x"));
  };
  EXPECT_EQ(page(), page());
}

}  // namespace
}  // namespace sotto::lab
