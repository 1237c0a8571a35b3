#include "lab/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "lab/criteria_request.h"
#include "metrics/metric_name.h"

namespace sotto {

namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

Status check_runs(const std::vector<ComparedRun>& runs) {
  if (runs.size() < 2) return fail(Code::usage, "one run alone cannot be compared: name two or more");
  if (runs.size() > letters.size())
    return fail(Code::usage, fmt::format("{} runs are more than a table has letters for ({}): compare fewer",
                                         runs.size(), letters.size()));
  for (const ComparedRun& run : runs) {
    if (run.split_hash != runs[0].split_hash)
      return fail(
          Code::incompatible,
          fmt::format("{} and {} are runs on different splits: their figures cannot be compared; train "
                      "both with the same --split-file",
                      runs[0].source, run.source));
    if (run.per_user.users != runs[0].per_user.users)
      return fail(
          Code::incompatible,
          fmt::format("{} and {} were judged on different users: train both with the same --eval-users "
                      "and seed, or with everybody",
                      runs[0].source, run.source));
  }
  return Done{};
}

Result<double> value_of(const ComparedRun& run, const std::string& metric) {
  for (const Metric& one : run.metrics)
    if (one.name == metric) return one.value;
  return fail(Code::usage,
              fmt::format("{}: the run has no {}: evaluate it at that cut-off", run.source, metric));
}

// Of the column's values the best and, if another value is there, the second best.
void mark_places(std::vector<ComparedRow>& rows, std::size_t column, bool less) {
  const auto better = [less](double a, double b) { return less ? a < b : a > b; };
  double best = std::numeric_limits<double>::quiet_NaN(), second = best;
  for (const ComparedRow& row : rows) {
    const double value = row.cells[column].value;
    if (std::isnan(value) || value == best) continue;
    if (std::isnan(best) || better(value, best)) {
      second = best;
      best = value;
    } else if (std::isnan(second) || better(value, second)) {
      second = value;
    }
  }
  for (ComparedRow& row : rows) {
    ComparedCell& cell = row.cells[column];
    cell.place = cell.value == best ? Place::best : cell.value == second ? Place::second : Place::other;
  }
}

// Tests all pairs of runs in one metric and writes the letters.
class MetricTests {
 public:
  MetricTests(const std::vector<ComparedRun>& runs, const std::string& metric, const CompareOptions& options)
      : metric_(metric), options_(options) {
    for (const ComparedRun& run : runs) columns_.push_back(run.per_user.column(metric));
  }

  // Whether users have values of their own.
  [[nodiscard]] bool possible() const {
    return std::none_of(columns_.begin(), columns_.end(), [](const auto& column) { return column.empty(); });
  }
  [[nodiscard]] const std::vector<double>& values(std::size_t run) const { return columns_[run]; }

  [[nodiscard]] std::vector<ComparedPair> run(Executor& executor) const {
    std::vector<ComparedPair> pairs;
    for (std::size_t first = 0; first < columns_.size(); ++first)
      for (std::size_t second = first + 1; second < columns_.size(); ++second)
        pairs.push_back({.first = first, .second = second, .metric = metric_});
    executor.run(pairs.size(), [&](std::size_t n) { test(pairs[n]); });
    std::vector<double> p_values;
    for (const ComparedPair& pair : pairs) p_values.push_back(pair.p);
    const std::vector<double> adjusted = holm(p_values);
    for (std::size_t n = 0; n < pairs.size(); ++n) {
      pairs[n].adjusted_p = adjusted[n];
      if (options_.pairs)
        pairs[n].interval = bootstrap_mean(differences(columns_[pairs[n].first], columns_[pairs[n].second]),
                                           options_.bootstrap, executor);
    }
    return pairs;
  }

  // Who is ahead: by the mean for t, by ranks for Wilcoxon.
  [[nodiscard]] double lead(const ComparedPair& pair) const {
    return options_.test == PairedTest::t ? pair.difference : pair.effect.rank_biserial;
  }

 private:
  void test(ComparedPair& pair) const {
    const auto &a = columns_[pair.first], &b = columns_[pair.second];
    pair.difference = spread_of(differences(a, b)).mean;
    pair.p = paired_test(options_.test, a, b).p;
    pair.effect = effect_size(a, b);
  }

  std::string metric_;
  const CompareOptions& options_;
  std::vector<std::vector<double>> columns_;
};

void write_letters(const std::vector<ComparedPair>& pairs, const MetricTests& tests, double alpha, bool less,
                   std::size_t column, std::vector<ComparedRow>& rows) {
  for (const ComparedPair& pair : pairs) {
    if (pair.adjusted_p >= alpha) continue;
    const bool first_wins = (tests.lead(pair) > 0.0) != less;
    const std::size_t winner = first_wins ? pair.first : pair.second;
    const std::size_t loser = first_wins ? pair.second : pair.first;
    rows[winner].cells[column].beats += rows[loser].letter;
  }
  // Pairs come by their first run, so a winner's letters may be out of order.
  for (ComparedRow& row : rows) {
    std::string& beats = row.cells[column].beats;
    std::sort(beats.begin(), beats.end(), [](char a, char b) { return letters.find(a) < letters.find(b); });
  }
}

// "section.key" → value.
std::map<std::string, std::string> parsed_settings(const std::string& text) {
  std::map<std::string, std::string> settings;
  std::istringstream lines(text);
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) section = line.substr(1, line.find(']') - 1) + ".";
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    std::string value = line.substr(equals + 3);
    std::erase(value, '"');
    settings[section + line.substr(0, equals)] = std::move(value);
  }
  return settings;
}

// Says nothing about the model: where the data lay, how it was judged and written down.
bool is_about_the_model(const std::string& key) {
  for (const char* section : {"data.", "split.", "evaluation.", "federation.wire", "federation.log_every"})
    if (key.starts_with(section)) return false;
  return true;
}

// Labels of runs that share one, told apart by the settings in which they differ.
void tell_group_apart(std::vector<ComparedRun*>& group) {
  std::vector<std::map<std::string, std::string>> settings;
  std::map<std::string, std::vector<std::string>> values;  // of each key, one a run
  for (const ComparedRun* run : group) settings.push_back(parsed_settings(run->settings));
  for (const auto& of_run : settings)
    for (const auto& [key, value] : of_run)
      if (is_about_the_model(key)) values[key];
  std::vector<std::string> what(group.size());
  for (auto& [key, of_runs] : values) {
    for (auto& of_run : settings) of_runs.push_back(of_run.contains(key) ? of_run[key] : "none");
    if (std::all_of(of_runs.begin(), of_runs.end(), [&](const auto& value) { return value == of_runs[0]; }))
      continue;
    const std::string name = key.substr(key.rfind('.') + 1);
    for (std::size_t n = 0; n < group.size(); ++n) {
      const std::string words = key.starts_with("criteria.") ? criteria_setting(settings[n], key)
                                                             : fmt::format("{} = {}", name, of_runs[n]);
      if (!words.empty()) what[n] += (what[n].empty() ? "" : ", ") + words;
    }
  }
  for (std::size_t n = 0; n < group.size(); ++n)
    if (!what[n].empty()) group[n]->label += fmt::format(" ({})", what[n]);
}

std::map<std::string, std::vector<ComparedRun*>> by_label(std::vector<ComparedRun>& runs) {
  std::map<std::string, std::vector<ComparedRun*>> groups;
  for (ComparedRun& run : runs) groups[run.label].push_back(&run);
  return groups;
}

}  // namespace

void tell_apart(std::vector<ComparedRun>& runs) {
  for (auto& [label, group] : by_label(runs))
    if (group.size() > 1) tell_group_apart(group);
  // The same plan twice: only the folder differs.
  for (auto& [label, group] : by_label(runs))
    if (group.size() > 1)
      for (ComparedRun* run : group) run->label += fmt::format(" [{}]", run->source);
}

Result<Comparison> compare_runs(std::vector<ComparedRun> runs, const CompareOptions& options,
                                Executor& executor) {
  SOTTO_TRY_DONE(check_runs(runs));
  if (!(options.alpha > 0.0 && options.alpha < 1.0))
    return fail(Code::usage,
                fmt::format("alpha is {}, but it is a chance: give a number between 0 and 1", options.alpha));
  CompareOptions asked = options;
  asked.bootstrap.confidence = 1.0 - options.alpha;
  tell_apart(runs);
  Comparison result{.metrics = options.metrics,
                    .rows = {},
                    .pairs = {},
                    .users = runs[0].per_user.users.size(),
                    .test = options.test,
                    .alpha = options.alpha};
  for (std::size_t n = 0; n < runs.size(); ++n)
    result.rows.push_back({std::string(1, letters[n]), runs[n].label, runs[n].source, {}});
  for (std::size_t column = 0; column < options.metrics.size(); ++column) {
    const std::string& metric = options.metrics[column];
    SOTTO_TRY(const MetricName name, parse_metric_name(metric));
    for (std::size_t n = 0; n < runs.size(); ++n) {
      SOTTO_TRY(const double value, value_of(runs[n], metric));
      result.rows[n].cells.push_back({.value = value});
    }
    const bool less = less_is_better(name);
    mark_places(result.rows, column, less);
    const MetricTests tests(runs, metric, asked);
    if (!tests.possible()) continue;
    // A resampled mean of the users' own errors would not lie around the error of all records.
    if (options.intervals && !is_over_records(name))
      for (std::size_t n = 0; n < runs.size(); ++n)
        result.rows[n].cells[column].interval = bootstrap_mean(tests.values(n), asked.bootstrap, executor);
    std::vector<ComparedPair> pairs = tests.run(executor);
    write_letters(pairs, tests, options.alpha, less, column, result.rows);
    if (options.pairs) result.pairs.insert(result.pairs.end(), pairs.begin(), pairs.end());
  }
  return result;
}

}  // namespace sotto
