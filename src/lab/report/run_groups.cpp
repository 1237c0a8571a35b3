// Runs grouped for figures and tables (figures.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/figures.h"
#include "lab/report/markup.h"
#include "metrics/metric_name.h"

namespace sotto::lab {

namespace {

constexpr const char* accuracy_metric = "Accuracy";

}  // namespace

double RunGroup::mean(const std::string& metric) const {
  double sum = 0.0;
  for (const ReportRun* run : runs) sum += run->result.metric(metric).value_or(NAN);
  return sum / static_cast<double>(runs.size());
}

std::optional<Interval> RunGroup::interval(const std::string& metric) const {
  std::vector<double> values;
  for (const ReportRun* run : runs) values.push_back(run->result.metric(metric).value_or(NAN));
  // A model that draws nothing is the same for each seed, which says nothing about how sure it is.
  if (std::ranges::all_of(values, [&](double value) { return value == values.front(); }) || runs.size() == 1)
    values = first().detail.per_user.column(metric);
  if (values.size() < 2 || !std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
    return std::nullopt;
  return mean_interval(values);
}

std::string RunGroup::name() const {
  return pi ? fmt::format("{}, π {}", configuration, short_number(*pi)) : configuration;
}

std::string DatasetRuns::metric(const char* stem) const {
  return classifies ? accuracy_metric : fmt::format("{}@{}", stem, cutoff);
}

std::vector<const char*> DatasetRuns::metric_columns() const {
  if (classifies) return {accuracy_metric};
  return {"P", "R", "F1means", "nDCG", "IC", "Gini", "ARP", "APLT"};
}

std::vector<std::string> DatasetRuns::configurations() const {
  std::vector<std::string> names;
  for (const RunGroup& group : groups)
    if (std::ranges::find(names, group.configuration) == names.end()) names.push_back(group.configuration);
  return names;
}

std::vector<const RunGroup*> DatasetRuns::along_pi(const std::string& configuration) const {
  std::vector<const RunGroup*> path;
  for (const RunGroup& group : groups)
    if (group.configuration == configuration && group.pi) path.push_back(&group);
  if (path.size() < 2) path.clear();
  return path;
}

std::vector<const RunGroup*> DatasetRuns::best_groups() const {
  std::vector<const RunGroup*> best;
  for (const std::string& configuration : configurations()) {
    const RunGroup* chosen = nullptr;
    for (const RunGroup& group : groups) {
      if (group.configuration != configuration) continue;
      if (chosen == nullptr || group.mean(metric("F1means")) > chosen->mean(metric("F1means")))
        chosen = &group;
    }
    best.push_back(chosen);
  }
  return best;
}

namespace {

// 10 if every run was judged there, else the largest of the first run.
std::uint32_t cutoff_of(const std::vector<const ReportRun*>& runs) {
  const bool ten = std::ranges::all_of(
      runs, [](const ReportRun* run) { return run->result.metric("F1means@10").has_value(); });
  if (ten) return 10;
  std::uint32_t largest = 0;
  for (const Metric& metric : runs.front()->result.metrics)
    if (const auto name = parse_metric_name(metric.name); name.ok() && name->base == "P")
      largest = std::max(largest, name->cutoff.value_or(0));
  return largest > 0 ? largest : 10;
}

RunGroup& group_for(const ReportRun& run, std::vector<RunGroup>& groups) {
  for (RunGroup& group : groups)
    if (group.configuration == run.configuration && group.pi == run.pi) return group;
  return groups.emplace_back(RunGroup{run.configuration, run.pi, {}});
}

}  // namespace

std::vector<DatasetRuns> datasets_of(const ReportData& data) {
  std::vector<std::pair<std::string, std::vector<const ReportRun*>>> by_dataset;
  for (const ReportRun& run : data.runs) {
    auto found =
        std::ranges::find_if(by_dataset, [&](const auto& entry) { return entry.first == run.place.dataset; });
    if (found == by_dataset.end()) found = by_dataset.insert(by_dataset.end(), {run.place.dataset, {}});
    found->second.push_back(&run);
  }
  std::vector<DatasetRuns> datasets;
  for (const auto& [dataset, runs] : by_dataset) {
    DatasetRuns& one = datasets.emplace_back();
    one.dataset = dataset;
    one.name = by_dataset.size() > 1 ? slug(dataset) + "-" : "";
    one.cutoff = cutoff_of(runs);
    one.classifies = runs.front()->result.metric(accuracy_metric).has_value();
    const auto facts = data.splits.find(runs.front()->result.split_hash);
    if (facts != data.splits.end()) one.facts = &facts->second;
    for (const ReportRun* run : runs) group_for(*run, one.groups).runs.push_back(run);
    // Configurations stay in the order they came in.
    const std::vector<std::string> order = one.configurations();
    std::stable_sort(one.groups.begin(), one.groups.end(), [&order](const RunGroup& a, const RunGroup& b) {
      if (a.configuration == b.configuration) return a.pi < b.pi;
      return std::ranges::find(order, a.configuration) < std::ranges::find(order, b.configuration);
    });
    for (RunGroup& group : one.groups)
      std::ranges::stable_sort(group.runs, {}, [](const ReportRun* run) { return run->place.seed; });
  }
  return datasets;
}

}  // namespace sotto::lab
