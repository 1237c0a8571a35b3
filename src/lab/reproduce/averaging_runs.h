// The runs behind the targets of chapter 5, each kept as one small JSON file, so that several processes or
// machines can share the work: copy their files into one folder and the tables are made of all.
//
// Laws: a file that is there and is of the same plan is never computed again, whichever accelerator made it
// and wherever the data lay; one of another plan is; a file appears whole or not at all.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/averaging/averaging_run.h"
#include "lab/reproduce/averaging_plans.h"
#include "lab/reproduce/reproduction.h"
#include "lab/study/run_study.h"

namespace sotto::lab {

struct KeptAveraging {
  std::string plan;                   // a hash of what decides the run
  std::vector<std::uint32_t> rounds;  // of the looks
  std::vector<double> accuracy;       // global, at each look
  std::map<std::uint32_t, std::array<std::optional<std::uint32_t>, 9>> until;  // by accuracy in percent
  std::uint32_t best_round = 0;
  std::vector<std::uint8_t> best_right;  // of all test examples
  std::uint32_t most_rounds = 0;         // that it went on for
  double seconds = 0.0;
};
[[nodiscard]] std::string kept_text(const KeptAveraging& run);
[[nodiscard]] Result<KeptAveraging> kept_from_text(const std::string& text, const std::string& name);
[[nodiscard]] KeptAveraging kept_of(const TrainRequest& request, const AveragingOutcome& outcome);

// What decides a run: its plan but for where the data lies and what works it out.
[[nodiscard]] std::string averaging_plan_hash(TrainRequest request);
// "mnist-two-shards-each_ds-ld-mw_seed-1_full.json".
[[nodiscard]] std::string kept_name(std::string_view dataset, std::string_view setting, std::uint64_t seed,
                                    Effort effort);

// Runs by setting, one a seed that is there.
using AveragingRuns = std::map<std::string, std::map<std::uint64_t, KeptAveraging>>;

// Makes the runs of a dataset that are missing, as far as they are of this target's part, and reads all that
// are there. `computed` counts those that were made.
[[nodiscard]] Result<AveragingRuns> averaging_runs(const Target& target, const PaperData& data, Effort effort,
                                                   const std::filesystem::path& folder,
                                                   const StudyHooks& hooks, Executor& executor,
                                                   std::uint64_t& computed);

// averaging_tables.cpp: one dataset's tables, findings and figures.
void add_averaging(const Target& target, const PaperData& data, const AveragingRuns& runs, Reproduction& out);

// The whole target; its runs lie in folder/averaging.
[[nodiscard]] Result<Reproduction> reproduce_averaging(const Target& target,
                                                       const std::vector<PaperData>& data, Effort effort,
                                                       const std::filesystem::path& folder,
                                                       const StudyHooks& hooks, Executor& executor);

}  // namespace sotto::lab
