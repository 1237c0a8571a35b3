// One target from data to verdicts: finds the data, runs the studies that are left, and sets what came out
// beside the print.
//
// Laws: what a results file holds is never computed again; the same target, data and mode give the same
// tables, whatever the number of threads and however often it was stopped.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/result.h"
#include "lab/report/page.h"
#include "lab/reproduce/reproduction.h"
#include "lab/study/run_study.h"

namespace sotto::lab {

// What a target would work on: all its datasets, there or not. Fails if none is there, and says what to
// fetch.
[[nodiscard]] Result<std::vector<PaperData>> data_for_target(const Target& target, const DataFolder& folder);

// Those of them that are worked on: the ones named in `only`, else what the effort takes of them. Fails for a
// name that is none of the target's, and if nothing that is there is left.
[[nodiscard]] Result<std::vector<PaperData>> data_worked_on(const Target& target, std::vector<PaperData> data,
                                                            const std::vector<std::string>& only,
                                                            Effort effort);

// An estimate for one core, of everything that the data allows, computed or not.
[[nodiscard]] Result<double> estimated_core_seconds(const Target& target, const std::vector<PaperData>& data,
                                                    Effort effort);

[[nodiscard]] Result<Reproduction> reproduce(const Target& target, const std::vector<PaperData>& data,
                                             Effort effort, ResultsFile& results, StudyHooks& hooks,
                                             std::size_t threads, Executor& executor);

// The report; `command` is what makes it again.
[[nodiscard]] Page page_of(const Reproduction& reproduction, const std::string& command);

// "0.01422", "46,120".
[[nodiscard]] std::string paper_number(double value);
// As the table shows its numbers.
[[nodiscard]] std::string paper_number(const PaperTable& table, double value);
// "0.01433 ±0.00085", or both ends where they are uneven.
[[nodiscard]] std::string measured_text(const PaperCell& cell);
// "31 reached, 4 within 5%, …": what there is none of is left out.
[[nodiscard]] std::string verdicts_text(const Reproduction& reproduction);

}  // namespace sotto::lab
