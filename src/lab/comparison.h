// Comparison: several runs on the same split as the table that a paper would print, with best and second
// marked and with letters for what is significantly better.
//
// Every run has a letter. A cell carries the letters of the runs that it beats: per metric each pair of runs
// is tested over the same users, and the p-values of all pairs are corrected together (Holm). Metrics of all
// lists together (IC, Gini, …) have no values of single users: they are not tested.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "lab/rank_mark.h"
#include "metrics/bootstrap.h"
#include "metrics/evaluate.h"
#include "metrics/statistics.h"

namespace sotto::engine {
struct TrainRequest;
}

namespace sotto::lab {

// One judged model, from wherever it comes.
struct ComparedRun {
  std::string label;     // model and variant; need not be unique
  std::string source;    // its folder, for messages
  std::string settings;  // "key = value" lines with [sections], as in a plan: what tells equal labels apart
  std::string split_hash;
  std::vector<Metric> metrics;
  PerUser per_user;
};

struct CompareOptions {
  std::vector<std::string> metrics;
  PairedTest test = PairedTest::t;
  double alpha = 0.05;
  bool intervals = false;      // of each cell
  bool pairs = false;          // list them
  BootstrapOptions bootstrap;  // its confidence is 1 − alpha
};

struct ComparedCell {
  double value = 0.0;  // not a number where the metric is not defined
  RankMark standing = RankMark::plain;
  std::string beats = {};  // letters
  std::optional<Interval> interval = {};
};

struct ComparedRow {
  std::string letter;
  std::string label;  // unique
  std::string source;
  std::vector<ComparedCell> cells;  // one a metric
};

// first − second, in one metric.
struct ComparedPair {
  std::size_t first = 0;  // rows
  std::size_t second = 0;
  std::string metric;
  double difference = 0.0;
  Interval interval = {};
  double p = 1.0;
  double adjusted_p = 1.0;
  EffectSize effect = {};
};

struct Comparison {
  std::vector<std::string> metrics;
  std::vector<ComparedRow> rows;
  std::vector<ComparedPair> pairs;  // empty unless asked for
  std::uint64_t users = 0;
  PairedTest test = PairedTest::t;
  double alpha = 0.05;
};

// Two runs at least. Refuses runs of different splits or judged users, and metrics that a run lacks.
[[nodiscard]] Result<Comparison> compare_runs(std::vector<ComparedRun> runs, const CompareOptions& options,
                                              Executor& executor);

// What each user of one row has in a metric, and who these users are.
struct TestedRow {
  std::vector<double> values;
  std::string judged = {};  // alike for the same users in the same order
};
// Each pair of rows that judged the same users, and at least one; p-values corrected together. Intervals
// where `options` asks for pairs.
[[nodiscard]] std::vector<ComparedPair> test_pairs(const std::vector<TestedRow>& rows,
                                                   const std::string& metric, const CompareOptions& options,
                                                   Executor& executor);
// For each of so many rows those that it beats with significance, ascending.
[[nodiscard]] std::vector<std::vector<std::size_t>> beaten_rows(const std::vector<ComparedPair>& pairs,
                                                                std::size_t rows,
                                                                const CompareOptions& options,
                                                                bool less_is_better);

// Labels that occur more than once get what differs between their runs: "pFPL (pi = 0.5)".
void tell_apart(std::vector<ComparedRun>& runs);

}  // namespace sotto::lab
