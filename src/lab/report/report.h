// The report: from runs to a page. One section a dataset, with tables and figures; then what is missing, and
// how everything was made.
//
// Law: the same runs give the same page, byte for byte: no time, no path but those that were given.
#pragma once

#include <string>

#include "lab/report/figures.h"
#include "lab/report/page.h"
#include "lab/report/report_data.h"

namespace sotto::lab {

// `command` is what makes the report again.
[[nodiscard]] Page report_page(const ReportData& data, const std::string& command);

// The best of each configuration with intervals, and letters for the rows that a row beats significantly
// (paired t-test over users, Holm's correction over all pairs, 5%).
[[nodiscard]] PageTable best_table(const DatasetRuns& runs);
// Every group of runs: each π, means over seeds.
[[nodiscard]] PageTable all_table(const DatasetRuns& runs);
// What each group cost.
[[nodiscard]] PageTable cost_table(const DatasetRuns& runs);

}  // namespace sotto::lab
