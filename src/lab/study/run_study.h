// Runs a study: every cell that the results file does not have yet, on all threads.
//
// Laws: the same study gives the same results, whatever the number of threads and however often it was
// stopped or killed; a finished cell is never computed again; a cell that fails is recorded with its reason
// and the others go on. All that can be checked is checked before the first cell runs, the data included.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/study/cells.h"
#include "lab/study/results.h"
#include "lab/study/study.h"

namespace sotto::lab {

struct StudyProgress {
  std::string study = {};      // its name, where it is one of several
  std::uint64_t finished = 0;  // found in the file, computed or failed
  std::uint64_t found = 0;     // of those: were in the file already
  std::uint64_t failed = 0;
  std::uint64_t total = 0;  // as far as it is known: a search may end earlier
  std::uint64_t running = 0;
  double seconds = 0.0;
  double left_seconds = 0.0;  // of this study, an estimate; not a number while too little is known
  std::string note;           // what happened: "loading Amazon DM", "sFPL+ on Amazon DM: P@10 0.0142"
};

struct StudyHooks {
  std::function<void(const StudyProgress&)> on_progress;  // one call at a time, from any thread
  const std::atomic<bool>* stop = nullptr;                // set by Ctrl-C: running cells are given up
  bool retry_failed = false;                              // compute cells again that failed before
};

struct StudyFailure {
  CellPlace place;
  std::string reason;
};

struct StudyOutcome {
  std::uint64_t cells = 0;
  std::uint64_t found = 0;
  std::uint64_t computed = 0;
  std::vector<StudyFailure> failures;  // also those of earlier sweeps that were not tried again
  double seconds = 0.0;
};

// Stopped by hooks.stop: Code::cancelled; what was finished is in the file.
[[nodiscard]] Result<StudyOutcome> run_study(const Study& study, ResultsFile& results, StudyHooks& hooks,
                                             std::size_t threads);

// The same with data that was loaded, of a study that was checked.
[[nodiscard]] Result<StudyOutcome> run_study(const Study& study, const StudyData& data, ResultsFile& results,
                                             StudyHooks& hooks, std::size_t threads);

// What run_study would do, without doing it.
struct PlannedCells {
  std::string dataset;
  std::string model;
  std::uint64_t search = 0;  // at most
  std::uint64_t final = 0;
  std::uint64_t found = 0;  // already in the file, of those that are known beforehand
};
// `results` may be null: then nothing is found.
[[nodiscard]] Result<std::vector<PlannedCells>> plan_study(const Study& study, const StudyData& data,
                                                           const ResultsFile* results);

}  // namespace sotto::lab
