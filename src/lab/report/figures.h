// The figures of one dataset: what the papers show, from what the runs kept.
//
// Runs of one configuration and one π that differ in their seed are one point: the mean, with Student's 95%
// interval over seeds; a single seed, or seeds that agree, have the interval over users instead. A figure
// appears only where its data exists; else there is a gap that says what is missing and which command would
// make it.
#pragma once

#include <string>
#include <vector>

#include "lab/report/page.h"
#include "lab/report/report_data.h"

namespace sotto::lab {

// Runs that differ in their seed only.
struct RunGroup {
  std::string configuration;
  std::optional<double> pi;
  std::vector<const ReportRun*> runs;  // at least one, by seed

  [[nodiscard]] const ReportRun& first() const { return *runs.front(); }
  // The mean over seeds; not a number where a run lacks it.
  [[nodiscard]] double mean(const std::string& metric) const;
  // 95%, over seeds or over users; none where neither can be told.
  [[nodiscard]] std::optional<Interval> interval(const std::string& metric) const;
  // "sFPL+, π 0.5"
  [[nodiscard]] std::string name() const;
};

// One dataset's groups, configurations in the order of the runs, π ascending.
struct DatasetRuns {
  std::string dataset;
  std::string name;                   // for figures: "f1-over-pi" or "amazon-dm-f1-over-pi"
  const SplitFacts* facts = nullptr;  // may be null
  std::uint32_t cutoff = 10;          // of the figures
  bool classifies = false;            // its models are classifiers: Accuracy is their one metric
  std::vector<RunGroup> groups;

  [[nodiscard]] std::string metric(const char* stem) const;  // "P" → "P@10"; of classifiers "Accuracy"
  [[nodiscard]] std::vector<const char*> metric_columns() const;
  [[nodiscard]] std::vector<std::string> configurations() const;
  // Along π, where there is more than one value.
  [[nodiscard]] std::vector<const RunGroup*> along_pi(const std::string& configuration) const;
  // Of each configuration the group with the highest F1: what stands for it where there is room for one.
  [[nodiscard]] std::vector<const RunGroup*> best_groups() const;
};

[[nodiscard]] std::vector<DatasetRuns> datasets_of(const ReportData& data);

// Charts, or gaps in their place.
[[nodiscard]] std::vector<PageBlock> accuracy_figures(
    const DatasetRuns& runs);  // F1 over π, coverage over precision
[[nodiscard]] std::vector<PageBlock> item_figures(const DatasetRuns& runs);  // updates, recommendations
[[nodiscard]] std::vector<PageBlock> cost_figures(const DatasetRuns& runs);  // precision over cost
[[nodiscard]] std::vector<PageBlock> bias_figures(const DatasetRuns& runs);  // disparity per category
[[nodiscard]] std::vector<PageBlock> learning_figures(
    const DatasetRuns& runs);  // loss and validation over epochs
[[nodiscard]] std::vector<PageBlock> user_figures(const DatasetRuns& runs);  // how users differ

}  // namespace sotto::lab
