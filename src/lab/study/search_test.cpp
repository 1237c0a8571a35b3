#include "lab/study/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/rng.h"

namespace sotto::lab {
namespace {

Axis list(const std::string& key, std::vector<std::string> values) {
  return {.key = key, .values = std::move(values), .range = std::nullopt, .where = ""};
}
Axis range(const std::string& key, Range range) {
  return {.key = key, .values = {}, .range = range, .where = ""};
}
double number(const Settings& settings, std::size_t n) { return std::stod(settings[n].value); }

// Runs a search on a function of the settings; returns the best value after each trial.
template <class Function>
std::vector<double> play(Searcher& searcher, Function function) {
  std::vector<double> best;
  while (true) {
    const std::vector<Trial> trials = searcher.next();
    if (trials.empty()) return best;
    std::vector<TrialValue> values;
    for (const Trial& trial : trials) {
      values.push_back(function(trial));
      const double now = values.back().value_or(-1e300);
      best.push_back(best.empty() ? now : std::max(best.back(), now));
    }
    searcher.tell(values);
  }
}

TEST(Search, GridVisitsEveryPointOnceTheLastAxisFastest) {
  const auto searcher = make_searcher({}, {list("a.x", {"1", "2"}), list("a.y", {"5", "6", "7"})}, 10);
  EXPECT_EQ(searcher->most_trials(), 6u);
  std::string visited;
  for (const Trial& trial : searcher->next())
    visited += trial.settings[0].value + trial.settings[1].value + " ";
  EXPECT_EQ(visited, "15 16 17 25 26 27 ");
  const std::vector<TrialValue> values{0.1, 0.3, std::nullopt, 0.3, 0.2, std::nullopt};
  searcher->tell(values);
  EXPECT_TRUE(searcher->next().empty());
  EXPECT_EQ(searcher->best(), 1u);  // the first of equals
}

TEST(Search, RandomDrawsEachPointOnceWithinItsRange) {
  const std::vector<Axis> axes{range("a.x", {.min = 0.001, .max = 1.0, .log = true}),
                               range("a.y", {.min = 3, .max = 9, .log = false, .whole = true})};
  const std::vector<Settings> points = drawn_points(axes, 200, 7);
  EXPECT_EQ(points, drawn_points(axes, 200, 7));
  EXPECT_NE(points, drawn_points(axes, 200, 8));
  ASSERT_EQ(points.size(), 200u);
  std::set<std::string> seen;
  std::set<double> wholes;
  int small = 0;
  for (const Settings& point : points) {
    EXPECT_TRUE(seen.insert(described(point)).second);
    EXPECT_GE(number(point, 0), 0.001);
    EXPECT_LE(number(point, 0), 1.0);
    small += number(point, 0) < 0.0316;  // the middle of the logarithmic scale
    wholes.insert(number(point, 1));
  }
  EXPECT_GT(small, 70);
  EXPECT_LT(small, 130);
  EXPECT_EQ(wholes, (std::set<double>{3, 4, 5, 6, 7, 8, 9}));
}

TEST(Search, ASmallSpaceIsTakenWhole) {
  EXPECT_EQ(drawn_points({list("a.x", {"1", "2", "3"})}, 10, 1).size(), 3u);
  EXPECT_EQ(drawn_points({}, 10, 1).size(), 1u);
  EXPECT_EQ(drawn_points({list("a.x", {"1", "2", "3"})}, 2, 1).size(), 2u);
}

TEST(Search, HalvingGivesTheBestMoreEpochs) {
  Search search{.method = SearchMethod::halving, .trials = 9, .eta = 3};
  const std::vector<Axis> axes{list("a.x", {"0", "1", "2", "3", "4", "5", "6", "7", "8"})};
  const auto searcher = make_searcher(search, axes, 27);
  EXPECT_EQ(searcher->most_trials(), 13u);
  EXPECT_NEAR(searcher->most_work(), 9 / 9.0 + 3 / 3.0 + 1, 1e-12);
  std::vector<std::string> steps;
  for (auto trials = searcher->next(); !trials.empty(); trials = searcher->next()) {
    std::string step = std::to_string(*trials.front().epochs) + ":";
    std::vector<TrialValue> values;
    for (const Trial& trial : trials) {
      step += trial.settings[0].value;
      // 4 is best; 0 would be if it did not fail; brief training flatters 8.
      const double x = number(trial.settings, 0);
      values.push_back(x == 0                         ? TrialValue()
                       : x == 8 && *trial.epochs < 27 ? 2.0
                                                      : 1.0 - std::abs(x - 4) / 10);
    }
    steps.push_back(step);
    searcher->tell(values);
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"3:012345678", "9:348", "27:8"}));
  EXPECT_NEAR(searcher->most_work(), 3.0, 1e-12);
  EXPECT_EQ(searcher->best(), 12u);  // of the last step alone
}

TEST(Search, HalvingWithoutEpochsTriesEachOnce) {
  const auto searcher =
      make_searcher({.method = SearchMethod::halving, .trials = 4}, {list("a.x", {"1", "2", "3", "4"})}, 0);
  const std::vector<Trial> trials = searcher->next();
  EXPECT_EQ(trials.size(), 4u);
  EXPECT_FALSE(trials[0].epochs);
}

TEST(Search, HalvingEndsWhereEverythingFails) {
  const auto searcher =
      make_searcher({.method = SearchMethod::halving, .trials = 9}, {range("a.x", {.min = 0, .max = 1})}, 9);
  const std::vector<TrialValue> values(searcher->next().size());
  searcher->tell(values);
  EXPECT_TRUE(searcher->next().empty());
  EXPECT_FALSE(searcher->best());
}

TEST(Search, HalvingFallsBackToTheLatestStepThatHasAValue) {
  const auto searcher = make_searcher({.method = SearchMethod::halving, .trials = 3, .eta = 3},
                                      {list("a.x", {"1", "2", "3"})}, 3);
  ASSERT_EQ(searcher->next().size(), 3u);
  searcher->tell(std::vector<TrialValue>{0.1, 0.3, 0.2});
  ASSERT_EQ(searcher->next().size(), 1u);
  searcher->tell(std::vector<TrialValue>{std::nullopt});
  EXPECT_TRUE(searcher->next().empty());
  EXPECT_EQ(searcher->best(), 1u);
}

TEST(Search, TheLeastWinsWhereLessIsBetter) {
  const std::vector<Axis> axes{list("a.x", {"1", "2", "3"})};
  for (const SearchMethod method : {SearchMethod::grid, SearchMethod::random, SearchMethod::bayes}) {
    const auto searcher = make_searcher({.method = method, .metric = "ARP@10", .trials = 3}, axes, 0);
    ASSERT_EQ(searcher->next().size(), 3u);
    searcher->tell(std::vector<TrialValue>{3.0, std::nullopt, 1.0});
    EXPECT_EQ(searcher->best(), 2u);
  }
  const auto halving =
      make_searcher({.method = SearchMethod::halving, .metric = "ARP@10", .trials = 3, .eta = 3}, axes, 3);
  ASSERT_EQ(halving->next().size(), 3u);
  halving->tell(std::vector<TrialValue>{3.0, 1.0, 2.0});
  const std::vector<Trial> longer = halving->next();
  ASSERT_EQ(longer.size(), 1u);
  EXPECT_EQ(longer[0].settings[0].value, "2");
}

// A smooth hill with a lower one beside it; the top is worth 1.
double hill(double x, double y) {
  const double main = std::exp(-8.0 * ((x - 0.7) * (x - 0.7) + (y - 0.3) * (y - 0.3)));
  const double side = 0.6 * std::exp(-10.0 * ((x - 0.2) * (x - 0.2) + (y - 0.8) * (y - 0.8)));
  return std::max(main, side);
}

TEST(Search, BayesFindsTheTopInFewerTrialsThanRandom) {
  const std::vector<Axis> axes{range("a.x", {.min = 0, .max = 1}), range("a.y", {.min = 0, .max = 1})};
  const auto value = [](const Trial& trial) -> TrialValue {
    return hill(number(trial.settings, 0), number(trial.settings, 1));
  };
  const auto trials_needed = [&](SearchMethod method, std::uint64_t seed) {
    const auto searcher = make_searcher({.method = method, .trials = 25, .seed = seed}, axes, 0);
    const std::vector<double> best = play(*searcher, value);
    std::size_t n = 0;
    while (n < best.size() && best[n] < 0.98) ++n;
    return static_cast<double>(n);
  };
  double bayes = 0.0, random = 0.0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    bayes += trials_needed(SearchMethod::bayes, seed) / 10;
    random += trials_needed(SearchMethod::random, seed) / 10;
  }
  EXPECT_LT(bayes, 14.0);
  EXPECT_GT(random, 18.0);
}

TEST(Search, BayesGoesDownhillAsItGoesUphill) {
  const std::vector<Axis> axes{range("a.x", {.min = 0, .max = 1}), range("a.y", {.min = 0, .max = 1})};
  const auto visited = [&](const std::string& metric, double sign) {
    const auto searcher =
        make_searcher({.method = SearchMethod::bayes, .metric = metric, .trials = 15}, axes, 0);
    std::string text;
    play(*searcher, [&](const Trial& trial) -> TrialValue {
      text += described(trial.settings) + "; ";
      return sign * hill(number(trial.settings, 0), number(trial.settings, 1));
    });
    return text;
  };
  EXPECT_EQ(visited("ARP@10", -1.0), visited("nDCG@10", 1.0));
}

TEST(Search, BayesIsAFunctionOfWhatItWasTold) {
  const std::vector<Axis> axes{range("a.x", {.min = 0.01, .max = 1, .log = true}),
                               list("a.y", {"\"sfpl\"", "\"pfpl\"", "\"pfpl+\""})};
  const auto run = [&](std::uint32_t batch) {
    const auto searcher =
        make_searcher({.method = SearchMethod::bayes, .trials = 12, .batch = batch}, axes, 0);
    std::string text;
    play(*searcher, [&](const Trial& trial) -> TrialValue {
      text += described(trial.settings) + "; ";
      if (trial.settings[1].value == "\"pfpl\"") return std::nullopt;
      return -std::abs(std::log(number(trial.settings, 0)) + 2.0);
    });
    return text;
  };
  EXPECT_EQ(run(1), run(1));
  const std::string batched = run(3);
  EXPECT_EQ(batched, run(3));
  EXPECT_EQ(std::count(batched.begin(), batched.end(), ';'), 12);
}

TEST(Search, BayesTriesAFiniteSpaceOnceAndStops) {
  const auto searcher = make_searcher({.method = SearchMethod::bayes, .trials = 50},
                                      {list("a.x", {"1", "2", "3"}), list("a.y", {"1", "2"})}, 0);
  EXPECT_EQ(searcher->most_trials(), 6u);
  std::set<std::string> seen;
  play(*searcher, [&](const Trial& trial) -> TrialValue {
    EXPECT_TRUE(seen.insert(described(trial.settings)).second);
    return number(trial.settings, 0);
  });
  EXPECT_EQ(seen.size(), 6u);
}

}  // namespace
}  // namespace sotto::lab
