#include "lab/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "engine/plan/criteria_request.h"
#include "engine/plan/request.h"
#include "metrics/metric_name.h"

namespace sotto::lab {

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

void mark_standings(std::vector<ComparedRow>& rows, std::size_t column, bool less) {
  std::vector<double> values;
  for (const ComparedRow& row : rows) values.push_back(row.cells[column].value);
  const std::vector<RankMark> standings = rank_marks_of(values, less);
  for (std::size_t n = 0; n < rows.size(); ++n) rows[n].cells[column].standing = standings[n];
}

void test_pair(const TestedRow& a, const TestedRow& b, PairedTest test, ComparedPair& pair) {
  pair.difference = spread_of(differences(a.values, b.values)).mean;
  pair.p = paired_test(test, a.values, b.values).p;
  pair.effect = effect_size(a.values, b.values);
}

// Whether users have values of their own.
bool can_be_tested(const std::vector<TestedRow>& rows) {
  return std::none_of(rows.begin(), rows.end(), [](const TestedRow& row) { return row.values.empty(); });
}

void write_letters(const std::vector<std::vector<std::size_t>>& beaten, std::size_t column,
                   std::vector<ComparedRow>& rows) {
  for (std::size_t winner = 0; winner < rows.size(); ++winner)
    for (const std::size_t loser : beaten[winner]) rows[winner].cells[column].beats += rows[loser].letter;
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
    if (std::all_of(of_runs.begin(), of_runs.end(),
                    [&first = of_runs[0]](const auto& value) { return value == first; }))
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

std::vector<ComparedPair> test_pairs(const std::vector<TestedRow>& rows, const std::string& metric,
                                     const CompareOptions& options, Executor& executor) {
  std::vector<ComparedPair> pairs;
  for (std::size_t first = 0; first < rows.size(); ++first)
    for (std::size_t second = first + 1; second < rows.size(); ++second)
      if (!rows[first].values.empty() && rows[first].values.size() == rows[second].values.size() &&
          rows[first].judged == rows[second].judged)
        pairs.push_back({.first = first, .second = second, .metric = metric});
  executor.run(pairs.size(), [&](std::size_t n) {
    test_pair(rows[pairs[n].first], rows[pairs[n].second], options.test, pairs[n]);
  });
  std::vector<double> p_values;
  for (const ComparedPair& pair : pairs) p_values.push_back(pair.p);
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    pairs[n].adjusted_p = adjusted[n];
    if (options.pairs)
      pairs[n].interval =
          bootstrap_mean(differences(rows[pairs[n].first].values, rows[pairs[n].second].values),
                         options.bootstrap, executor);
  }
  return pairs;
}

std::vector<std::vector<std::size_t>> beaten_rows(const std::vector<ComparedPair>& pairs, std::size_t rows,
                                                  const CompareOptions& options, bool less_is_better) {
  std::vector<std::vector<std::size_t>> beaten(rows);
  for (const ComparedPair& pair : pairs) {
    if (pair.adjusted_p >= options.alpha) continue;
    // Who is ahead: by the mean for t, by ranks for Wilcoxon.
    const double lead = options.test == PairedTest::t ? pair.difference : pair.effect.rank_biserial;
    const bool first_wins = (lead > 0.0) != less_is_better;
    beaten[first_wins ? pair.first : pair.second].push_back(first_wins ? pair.second : pair.first);
  }
  // Pairs come by their first row, so a winner's may be out of order.
  for (auto& losers : beaten) std::sort(losers.begin(), losers.end());
  return beaten;
}

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
    mark_standings(result.rows, column, less);
    std::vector<TestedRow> tested;
    for (const ComparedRun& run : runs) tested.push_back({run.per_user.column(metric)});
    if (!can_be_tested(tested)) continue;
    // A resampled mean of the users' own errors would not lie around the error of all records.
    if (options.intervals && !is_over_records(name))
      for (std::size_t n = 0; n < runs.size(); ++n)
        result.rows[n].cells[column].interval = bootstrap_mean(tested[n].values, asked.bootstrap, executor);
    const std::vector<ComparedPair> pairs = test_pairs(tested, metric, asked, executor);
    write_letters(beaten_rows(pairs, runs.size(), asked, less), column, result.rows);
    if (options.pairs) result.pairs.insert(result.pairs.end(), pairs.begin(), pairs.end());
  }
  return result;
}

}  // namespace sotto::lab
