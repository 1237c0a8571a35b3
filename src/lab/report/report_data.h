// What a report is made from: runs and cells of studies, seen alike.
//
// From a run directory, a folder of them, or a results file of `sotto sweep`. Of a results file the cells
// judged on the test part count. What cannot be read, or failed, becomes a sentence in `troubles` and the
// report goes on; only a place without anything to report is an error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/plan/request.h"
#include "lab/study/results.h"

namespace sotto::lab {

// A plan as flat settings: "consent.pi" → "0.5". Reads what to_toml() writes.
using FlatPlan = std::map<std::string, std::string>;
[[nodiscard]] FlatPlan flat_plan(const std::string& toml);

struct ReportRun {
  std::string source;         // the folder's name, or where the cell stands in its study
  CellPlace place;            // dataset, label and seed
  CellResult result;          // metrics, cost, plan
  CellDetail detail;          // of per_user only the columns that a report shows
  std::string judged;         // a hash of the judged users in their order: alike for the same people
  FlatPlan plan;              // of result.request
  std::string configuration;  // label and what tells it from others of that label, without π and seed
  std::optional<double> pi;   // where the share that leaves is a figure's axis
  bool learned_from_test = false;
};

struct ReportData {
  std::string title;
  std::vector<ReportRun> runs;
  std::map<std::string, SplitFacts> splits;  // by hash
  std::vector<std::string> troubles;         // what was left out, and why
  std::uint64_t search_cells = 0;            // left out: judged on the validation part
};

[[nodiscard]] Result<ReportData> read_report_data(const std::filesystem::path& path);

// What a plan says beside its settings.
void note_plan(const TrainRequest& plan, ReportRun& run);

// Leaves only the metrics that a report shows user by user; a study of many cells would not fit otherwise.
void keep_shown_columns(PerUser& per_user);

// One run directory, without a configuration. Adds what is known of its split to `splits`.
[[nodiscard]] Result<ReportRun> read_run(const std::filesystem::path& path,
                                         std::map<std::string, SplitFacts>& splits);

// Fills in configurations and tells datasets of one name apart. Settings that are the same in all runs of a
// label, or that only follow from others (π, seed, λ that follow α, data), are not named.
void name_configurations(std::vector<ReportRun>& runs);

}  // namespace sotto::lab
